/** What arguments weigh whatever the tool: force, rights, publicity, production. Must not know any tool. */
import type { JsonObject } from '../../call.js';
import { plainName } from '../../names.js';
import { high, normal, type Reason } from '../told.js';

const MAX_NAMES = 200;
const MAX_VALUE_UNITS = 200;

interface Weight {
  /** Of names in their plain form, whole. */
  readonly name: RegExp;
  readonly value: RegExp;
  readonly reason: (name: string, value: string) => Reason;
}

const WEIGHTS: readonly Weight[] = [
  {
    name: /^(?:force|forced?delete|harddelete|permanent(?:ly)?|purge|nobackup|skipconfirm(?:ation)?|cascade|deleteall|wipe)$/,
    value: /^true$/i,
    reason: (name) => high(`${name} is on`),
  },
  {
    name: /^(?:recursive|overwrite|revokeold|replace(?:all)?|all)$/,
    value: /^true$/i,
    reason: (name) => normal(`${name} is on`),
  },
  {
    name: /^(?:role|roles|permission|permissions|accesslevel|privilege|scope)$/,
    value: /(?:^|[^a-z])(?:owner|admin(?:istrator)?|root|superuser|full[ _-]?access)(?:$|[^a-z])/i,
    reason: (_, value) => high(`gives the role ${value}`),
  },
  {
    name: /^(?:acl|visibility|access|sharing|public|ispublic|privacy)$/,
    value: /^(?:public.*|anyone.*|everyone|world|true)$/i,
    reason: () => high('makes it public'),
  },
  {
    name: /^(?:env|environment|stage|target|tier)$/,
    value: /^prod(?:uction)?$/i,
    reason: (_, value) => high(`in ${value}`),
  },
  { name: /^replicas$/, value: /^0$/, reason: () => high('stops every copy') },
];

/** In the order above. Never throws. */
export function argumentReasons(args: JsonObject): Reason[] {
  const named = Object.entries(args)
    .slice(0, MAX_NAMES)
    .flatMap(([name, value]) =>
      isPlain(value) ? [{ name, value: String(value).slice(0, MAX_VALUE_UNITS) }] : [],
    );
  return WEIGHTS.flatMap((weight) => {
    const found = named.find(
      ({ name, value }) => weight.name.test(plainName(name)) && weight.value.test(value),
    );
    return found === undefined ? [] : [weight.reason(found.name.slice(0, 40), found.value)];
  });
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
