/** The describers that come with the SDK, one line a family. Must not hold any words itself. */
import type { DescriberEntry } from './describer.js';
import { agentTools } from './tools/agents/index.js';
import { browserTools } from './tools/browser/index.js';
import { calendarTools } from './tools/calendar/index.js';
import { emailTools } from './tools/email/index.js';
import { fileTools } from './tools/files/index.js';
import { gitTools } from './tools/git/index.js';
import { githubTools } from './tools/github/index.js';
import { homeTools } from './tools/home.js';
import { httpTools } from './tools/http/index.js';
import { knowledgeTools } from './tools/knowledge/index.js';
import { kubernetesTools } from './tools/kubernetes/index.js';
import { messageTools } from './tools/messages/index.js';
import { mongoTools } from './tools/mongo/index.js';
import { packageTools } from './tools/packages/index.js';
import { paymentTools } from './tools/payments/index.js';
import { redisTools } from './tools/redis/index.js';
import { schemaTools } from './tools/schema/index.js';
import { shellTools } from './tools/shell/index.js';
import { sqlTools } from './tools/sql/index.js';
import { trackerTools } from './tools/trackers.js';
import { travelTools } from './tools/travel/index.js';

/** Several may know one name: the first that accepts the arguments has the word. */
const FAMILIES: readonly (readonly DescriberEntry[])[] = [
  shellTools,
  kubernetesTools,
  // Names such as `find`, `get` and `delete`, where the collection or the server's name tells whose they are.
  mongoTools,
  redisTools,
  // Before the files of this machine: the same names with a repository.
  githubTools,
  fileTools,
  gitTools,
  packageTools,
  sqlTools,
  httpTools,
  paymentTools,
  calendarTools,
  travelTools,
  homeTools,
  trackerTools,
  // Before mail, which takes `send_message` with a subject.
  messageTools,
  emailTools,
  browserTools,
  knowledgeTools,
  agentTools,
  // Last: any tool that comes with a schema.
  schemaTools,
];

/** All of them, in the order they are asked. */
export function builtInDescribers(): readonly DescriberEntry[] {
  return FAMILIES.flat();
}
