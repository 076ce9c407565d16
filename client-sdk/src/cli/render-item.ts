/**
 * An item as text for a terminal (03 §4): hidden characters visible, secrets masked. Must not know commands, nor any
 * tool by name.
 */
import {
  collectJsonSecrets,
  collectSecrets,
  degradeView,
  escapeInvisible,
  escapeToLine,
  jsonText,
  type Line,
  linearise,
  maskIn,
  renderPlain,
  type View,
} from '@countersign/protocol/blocks';
import type { InboxItem } from '../api.js';
import { answerText } from '../inbox/view.js';

/** The whole item; `raw` adds its arguments as JSON even when blocks show them. */
export function renderItem(item: InboxItem, options: { raw?: boolean } = {}): string {
  return [heading(item), ...notes(item), renderPlain(itemLines(item, options))].join('\n');
}

/** One line: id, kind, agent, summary. */
export function renderRow(item: InboxItem): string {
  const mark = item.risk === 'high' ? ' HIGH RISK' : '';
  const state = item.state === 'open' ? '' : ` (${item.state})`;
  return `${escapeToLine(item.requestId)}  ${item.kind}${mark}${state}  ${item.agentName}: ${escapeToLine(item.summary)}  [${left(item)}]`;
}

/** What is shown of the item's content, as neutral lines. */
export function itemLines(item: InboxItem, options: { raw?: boolean } = {}): Line[] {
  if (item.state === 'waiting') return [{ kind: 'text', text: escapeToLine(item.summary) }];
  if (item.state === 'unreadable') return [pre('Entry', jsonText(item.entry))];
  if (item.kind === 'approval') return approvalLines(item, options.raw === true);
  return item.kind === 'clarification' ? clarificationLines(item) : elicitationLines(item);
}

function approvalLines(item: InboxItem, raw: boolean): Line[] {
  const { entry } = item;
  const { view } = degradeView(entry.blocks, { v: entry.v, summary: item.summary });
  const secrets = secretsOf(item, view);
  const masked = (label: string, text: string) => pre(label, maskIn(text, secrets));
  // The item's summary counts, whatever the view's own says (03 §4).
  const shown: Line[] =
    view === undefined
      ? [{ kind: 'text', text: escapeToLine(maskIn(item.summary, secrets)) }]
      : linearise({ ...view, summary: item.summary });
  const detail = typeof entry.detail === 'string' ? [masked('Detail', entry.detail)] : [];
  const showArguments = raw || view === undefined;
  const json =
    showArguments && entry.arguments !== undefined ? [masked('Arguments', jsonText(entry.arguments))] : [];
  // Arguments no parser could take are shown verbatim, always (02 §4).
  const text = typeof entry.arguments_text === 'string' ? [masked('Arguments', entry.arguments_text)] : [];
  return [pair('Tool', String(entry.tool_name)), ...shown, ...detail, ...json, ...text];
}

function secretsOf(item: InboxItem, view: View | undefined): string[] {
  return [...(view === undefined ? [] : collectSecrets(view)), ...collectJsonSecrets(item.entry.arguments)];
}

function clarificationLines({ entry }: InboxItem): Line[] {
  const suggestions = Array.isArray(entry.suggested_answers) ? entry.suggested_answers : [];
  return [
    pair('Question', String(entry.question)),
    ...(typeof entry.context === 'string' ? [pair('Context', entry.context)] : []),
    ...suggestions.filter((one) => typeof one === 'string').map((one) => pair('Suggested', one)),
  ];
}

function elicitationLines({ entry }: InboxItem): Line[] {
  return [
    pair('From', String(entry.server_name)),
    pair('Message', String(entry.message)),
    ...(typeof entry.field_name === 'string' ? [pair('Asks for', entry.field_name)] : []),
    ...(entry.sensitive === true
      ? [pair('Secret', 'the answer goes only while the agent is connected')]
      : []),
    ...(typeof entry.url === 'string' ? [pair('Link', entry.url)] : []),
    ...(isFilled(entry.requested_schema) ? [pre('Form', jsonText(entry.requested_schema))] : []),
  ];
}

function heading(item: InboxItem): string {
  return `${renderRow(item)}`;
}

function notes(item: InboxItem): string[] {
  return [
    item.whole || item.state === 'waiting'
      ? []
      : ['! Only a part of this item has arrived: load it before approving.'],
    item.digestMatches || item.state === 'waiting'
      ? []
      : ['! This item arrived altered: it can only be rejected.'],
    item.state === 'waiting' ? ['! Waiting for the agent: only the announcement has arrived.'] : [],
    item.answer === undefined ? [] : [`Answer: ${escapeToLine(answerText(item.answer))}`],
    item.choices.length === 0 ? [] : [`Choices: ${item.choices.join(', ')}`],
  ].flat();
}

/** Time left in words. */
export function left(item: Pick<InboxItem, 'remainingMs'>): string {
  const seconds = Math.ceil(item.remainingMs / 1000);
  if (seconds <= 0) return 'expired';
  if (seconds < 120) return `${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min left` : `${Math.round(minutes / 60)} h left`;
}

function pair(key: string, value: string): Line {
  return { kind: 'pair', key, value: escapeInvisible(value) };
}

function pre(label: string, text: string): Line {
  return { kind: 'pre', label, text: escapeInvisible(text) };
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
