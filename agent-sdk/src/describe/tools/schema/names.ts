/** What a tool's name says by itself: words, its server, whether it writes. Must not know any tool. */
import { high, low, normal, type Reason } from '../told.js';

const MAX_NAME_UNITS = 200;
/** `mcp__server__tool`, `server/tool`, `server.tool`. */
const QUALIFIED = /^(?:mcp__)?([^_./:][^./:]{0,63}?)(?:__|[./:])[^./:]/;
const GRAVE =
  /^(?:delete|remove|drop|destroy|purge|wipe|erase|terminate|revoke|reset|transfer|pay|charge|refund|ban|kick|disable|deactivate|shutdown|stop|kill|cancel|truncate|uninstall|overwrite|force|rollback|unpublish|void|buy|purchase)$/;
const WRITES =
  /^(?:create|add|update|edit|set|put|post|send|write|insert|upload|publish|move|rename|merge|push|commit|deploy|run|execute|exec|invoke|trigger|start|restart|enable|install|assign|invite|grant|approve|reject|close|open|submit|reply|comment|schedule|book|order|sell|sync|import|upsert|patch|replace|append|archive|share|call|apply|save|register|link|attach|lock|mark|toggle|clear|make|ship|rotate|resolve|unlock|turn)$/;
/** Things, too: `ship_order` ships. Verbs where the name begins with them or has no other. */
const ALSO_THINGS =
  /^(?:order|book|call|link|share|mark|lock|post|comment|reply|charge|set|register|patch|import|schedule|stop|reset|pay|transfer|refund|run|start|commit|merge|invoke|archive)$/;
const READS =
  /^(?:get|list|read|search|find|query|fetch|show|describe|view|count|check|lookup|look|inspect|browse|status|summarize|explain|validate|preview|compare|diff|retrieve|download|export|analyze|suggest|recommend|help|ping|whoami)$/;

/** The tool's own name in words, the first one with a capital: `create_customerRecord` → "Create customer record". */
export function nameWords(toolName: string): string {
  const words = wordsOf(toolName);
  const text = words.join(' ');
  return text === ''
    ? toolName.slice(0, MAX_NAME_UNITS) || 'Tool'
    : text.charAt(0).toUpperCase() + text.slice(1);
}

export function serverOf(toolName: string): string | undefined {
  const server = QUALIFIED.exec(toolName.slice(0, MAX_NAME_UNITS))?.[1];
  return server === undefined || /^(?:functions|tools|default_api)$/.test(server) ? undefined : server;
}

/** The first word that is a verb of some weight; none for a name that says nothing. */
export function nameReasons(toolName: string): Reason[] {
  const words = wordsOf(toolName);
  const surely = reasonsIn(words.filter((word, at) => at === 0 || !ALSO_THINGS.test(word)));
  return surely.length > 0 ? surely : reasonsIn(words);
}

function reasonsIn(words: readonly string[]): Reason[] {
  if (READS.test(words[0] ?? '')) return [low(`its name says ${words[0]}`)];
  const grave = words.find((word) => GRAVE.test(word));
  if (grave !== undefined) return [high(`its name says ${grave}`)];
  const write = words.find((word) => WRITES.test(word));
  return write === undefined ? [] : [normal(`its name says ${write}`)];
}

function wordsOf(toolName: string): string[] {
  return toolName
    .slice(0, MAX_NAME_UNITS)
    .replace(/^.*(?:__|[./:])(?=[^./:_])/s, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}
