/** Scripts that run in a page, with its rights. */
import { middle } from '../../describer.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { hiddenReasons, high, normal, type Told, watchOut } from '../told.js';
import { elementOf } from './element.js';

export function toldScript(given: Given): Told | undefined {
  const script = given.text(
    'function',
    'script',
    'code',
    'expression',
    'js_script',
    'javascript',
    'js_code',
    'pageFunction',
    'text',
  );
  if (script === undefined) return undefined;
  const { blocks } = elementOf(given, 'text');
  const sends = /\b(?:fetch|XMLHttpRequest|sendBeacon|WebSocket|\.submit\()/.test(script.slice(0, 100_000));
  const secrets = /\b(?:document\.cookie|localStorage|sessionStorage|indexedDB|\.credentials)\b/.test(
    script.slice(0, 100_000),
  );
  return {
    summary: ['Run in the page: ', middle(script.replace(/\s+/g, ' '))],
    blocks: [block('Script', script, 'code', 'js'), ...blocks, ...watchOut([script])],
    reasons: [
      ...(secrets ? [high('looks into what the page keeps: cookies or storage')] : []),
      ...(sends ? [high('sends requests of its own')] : []),
      normal('runs a script with the rights of the page'),
      ...hiddenReasons([script]),
    ],
  };
}
