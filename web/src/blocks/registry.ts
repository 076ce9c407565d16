/** Which viewer shows which value type. Must not know tools: the value type alone decides (03 §4). */
import type { ValueType } from '@countersign/protocol/blocks';
import type { Viewer } from './block.types.js';
import { BooleanValue } from './boolean/boolean-value.js';
import { CodeValue } from './code/code-value.js';
import { CommandValue } from './command/command-value.js';
import { DatetimeValue } from './datetime/datetime-value.js';
import { DiffValue } from './diff/diff-value.js';
import { EmailValue } from './email/email-value.js';
import { JsonValue } from './json/json-value.js';
import { MarkdownValue } from './markdown/markdown-value.js';
import { NumberValue } from './number/number-value.js';
import { PathValue } from './path/path-value.js';
import { SecretValue } from './secret/secret-value.js';
import { StringValue } from './string/string-value.js';
import { TextValue } from './text/text-value.js';
import { UrlValue } from './url/url-value.js';

export const VIEWERS: Readonly<Record<ValueType, Viewer>> = {
  string: StringValue,
  text: TextValue,
  markdown: MarkdownValue,
  code: CodeValue,
  diff: DiffValue,
  command: CommandValue,
  email: EmailValue,
  url: UrlValue,
  path: PathValue,
  json: JsonValue,
  number: NumberValue,
  boolean: BooleanValue,
  datetime: DatetimeValue,
  secret: SecretValue,
};
