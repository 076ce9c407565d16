/** Door "./payloads": everything that is sealed, as schemas and pure rules. Never imported by the server. */
export { elicitationContent, type ReceiptPayload, receiptSchema } from './answers.js';
export { type BypassVerdict, judgeBypass } from './bypass.js';
export { impliedSupports, MAX_FEATURES, mergeSupports, readSupports } from './features.js';
export {
  CUT_NOTE,
  type FitOptions,
  type FittedSnapshot,
  fitSnapshot,
  MAX_LIVE_JSON_BYTES,
  MAX_QUEUED_JSON_BYTES,
} from './fit.js';
export { judgeTimestamp } from './freshness.js';
export {
  type ApprovalItem,
  approvalSchema,
  type ClarificationItem,
  clarificationSchema,
  type ElicitationItem,
  elicitationSchema,
  type Item,
  type ReceivedApproval,
  type ReceivedClarification,
  type ReceivedElicitation,
} from './items.js';
export {
  type ApprovalVerdict,
  type ApprovedScope,
  type JudgeOptions,
  judgeApproval,
  notOffered,
  type ResponseMembers,
} from './judge.js';
export { isJsonObject, type JsonObject, jsonBytes, uuidV4 } from './members.js';
export { type Offer, type Offering, offerOf, offers } from './offer.js';
export {
  type Ack,
  type ApprovalResponse,
  type BypassEnd,
  type ClarificationResponse,
  type ElicitationResponse,
  type Envelope,
  type Hello,
  type InboxRequest,
  type InboxUpdate,
  type Logout,
  MAX_ENVELOPE_ID_UNITS,
  type NotificationPayload,
  newEnvelope,
  type Payload,
  type ReceivedAck,
  type ReceivedApprovalResponse,
  type ReceivedClarificationResponse,
  type ReceivedElicitationResponse,
  type ReceivedHello,
  type ReceivedInboxUpdate,
  type ReceivedItem,
  type ReceivedNotification,
  type ReceivedPayload,
} from './payload.js';
export { type DroppedPayload, receivePayload } from './receive.js';
export { checkSend } from './send.js';
export {
  ACK_STATUSES,
  type AckStatus,
  ANSWERED_KIND,
  type AnswerKind,
  CHOICES,
  type Choice,
  DEFAULT_CHOICES,
  ITEM_KINDS,
  type ItemKind,
  isAnswerKind,
  KINDS,
  type Kind,
  OUTCOMES,
  type Outcome,
  REQUEST_ID_PREFIX,
  RISKS,
  type Risk,
} from './words.js';
