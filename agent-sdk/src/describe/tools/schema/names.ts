/** What a tool's name says by itself: words, its server, whether it writes. Must not know any tool. */
import { high, low, normal, type Reason } from '../told.js';

const MAX_NAME_UNITS = 200;
/** `mcp__server__tool`, `server/tool`, `server.tool`. */
const QUALIFIED = /^(?:mcp__)?([^_./:][^./:]{0,63}?)(?:__|[./:])[^./:]/;
const GRAVE =
  /^(?:delete|remove|drop|destroy|purge|wipe|erase|terminate|revoke|reset|transfer|pay|charge|refund|ban|kick|disable|deactivate|shutdown|stop|kill|cancel|truncate|uninstall|overwrite|force|rollback|unpublish|void)$/;
const WRITES =
  /^(?:create|add|update|edit|set|put|post|send|write|insert|upload|publish|move|rename|merge|push|commit|deploy|run|execute|exec|invoke|trigger|start|restart|enable|install|assign|invite|grant|approve|reject|close|open|submit|reply|comment|schedule|book|order|buy|sell|sync|import|upsert|patch|replace|append|archive|share|call|apply|save|register|link|attach|lock|mark|toggle|clear|make)$/;
const READS =
  /^(?:get|list|read|search|find|query|fetch|show|describe|view|count|check|lookup|look|inspect|browse|resolve|status|summarize|explain|validate|preview|compare|diff|retrieve|download|export|analyze|suggest|recommend|help|ping|whoami)$/;

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
  const grave = words.find((word) => GRAVE.test(word));
  if (grave !== undefined && !READS.test(words[0] ?? '')) return [high(`its name says ${grave}`)];
  const write = words.find((word) => WRITES.test(word));
  if (write !== undefined && !READS.test(words[0] ?? '')) return [normal(`its name says ${write}`)];
  const read = READS.test(words[0] ?? '') ? words[0] : undefined;
  return read === undefined ? [] : [low(`its name says ${read}`)];
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
