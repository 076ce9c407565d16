/** Tools that act in a house: Home Assistant's services (`call_service`) and its intents (`HassTurnOn`). */
import { type DescriberEntry, end } from '../describer.js';
import { listOf } from '../list-of.js';
import { asObject, type Given } from './given.js';
import { nameWords } from './schema/names.js';
import { and, entries, high, normal, type Reason, shown, type Told } from './told.js';

const SERVICES = listOf('call_service call_service_tool ha_call_service homeassistant_call_service');
const INTENTS = [
  ...listOf('hass_turn_on hass_turn_off hass_toggle hass_set_position hass_light_set hass_open_cover'),
  ...listOf(
    'hass_close_cover hass_climate_set_temperature hass_vacuum_start hass_set_volume hass_media_pause',
  ),
  ...listOf('hass_media_unpause hass_media_next hass_list_add_item hass_lock hass_unlock hass_broadcast'),
];

/** What keeps people out, or watches; and what makes it safer. */
const GUARDS = /(?:^|[^a-z])(?:lock|cover|garage|gate|door|alarm(?:_control_panel)?|siren|valve|camera)/;
const SAFER = /^(?:close|lock|arm|alarm_arm)(?:_|$)/;
const RUNS_CODE = /^(?:shell_command|python_script|hassio|homeassistant|script|automation|update|backup)$/;

export const homeTools: readonly DescriberEntry[] = [
  ...entries(SERVICES, toldService),
  ...entries(INTENTS, (given, { toolName }) => toldIntent(given, toolName)),
];

function toldService(given: Given): Told | undefined {
  const service = given.word('service', 'service_name', 'action');
  if (service === undefined) return undefined;
  const [before, after] = service.split('.', 2);
  const domain = after === undefined ? given.word('domain') : before;
  const does = after ?? service;
  const what = thingsIn(given);
  // Of a lock or an alarm; a secret row masks it in the data too.
  const code = codeIn(asObject(given.args.data)?.code) ?? given.word('code');
  return {
    summary: [end(nameWords(does)), ...and(' ', what ?? domain, 'middle')],
    blocks: [
      ...shown('Does', domain === undefined ? does : `${domain}.${does}`),
      ...shown('On', what),
      ...shown('Code', code, 'secret'),
    ],
    reasons: reasonsOf(does, `${domain ?? ''} ${what ?? ''}`, domain),
  };
}

function toldIntent(given: Given, toolName: string): Told | undefined {
  const [name, area, floor] = [given.word('name'), given.word('area'), given.word('floor')];
  const what = [name, area, floor].filter((one) => one !== undefined).join(', ');
  const amount = given.word('position', 'brightness', 'temperature', 'volume_level');
  if (what === '' && amount === undefined) return undefined;
  const does = toolName
    .slice(0, 200)
    .replace(/^.*Hass/s, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return {
    summary: [end(nameWords(does)), ...and(' ', what === '' ? undefined : what), ...and(' to ', amount)],
    blocks: [
      ...[...shown('Name', name), ...shown('Area', area), ...shown('Floor', floor)],
      ...shown('To', amount),
    ],
    reasons: reasonsOf(does, what, undefined),
  };
}

function codeIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** `entity_id`, or everything a target names. */
function thingsIn(given: Given): string | undefined {
  const words = given.words('entity_id', 'entity_ids', 'entity');
  if (words.length > 0) return words.join(', ');
  const target = asObject(given.args.target);
  const named = [target?.entity_id, target?.device_id, target?.area_id].flat();
  const texts = named.filter((one): one is string => typeof one === 'string' && one !== '');
  return texts.length === 0 ? undefined : texts.slice(0, 50).join(', ');
}

function reasonsOf(does: string, what: string, domain: string | undefined): Reason[] {
  const guards = GUARDS.test(what.slice(0, 1_000).toLowerCase());
  if (guards && !SAFER.test(does)) return [high('acts on what keeps people out, or watches')];
  if (domain !== undefined && RUNS_CODE.test(domain)) return [high(`runs what ${domain} is set up to do`)];
  return [normal('acts in the house')];
}
