/**
 * Who gets something: addresses as tools take them, the domain in the network's letters, and what about them
 * misleads. Must not know tools.
 */
import { domainToASCII } from 'node:url';
import { type Block, jsonText } from '@countersign/protocol/blocks';
import { middle, type SummaryPart } from '../../describer.js';
import { row } from '../../rows.js';
import { asObject } from '../given.js';
import { high, normal, type Reason, shown } from '../told.js';
import { foreignLetters, lookalike } from '../web/letters.js';

/** A list written as one text is taken apart up to this length. */
const MAX_UNITS = 20_000;
/** What is longer is no address. */
const MAX_PERSON_UNITS = 1_000;
/** So many are looked at for what misleads. */
const MAX_JUDGED = 200;
const ADDRESS = /([^\s<>"'(),;:]{1,128})@([^\s<>"'(),;:@]{1,253})/;
const MANY = 10;

/** A text, a list, `{email}`, `{emailAddress: {address}}`, each with a name perhaps: one line each. */
export function peopleIn(value: unknown): string[] {
  if (typeof value === 'string') return splitList(value);
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(personOf);
  return value === undefined || value === null ? [] : personOf(value);
}

function personOf(value: unknown): string[] {
  const object = asObject(value);
  if (object === undefined) return typeof value === 'string' ? splitList(value) : [jsonText(value)];
  const inner = asObject(object.emailAddress) ?? object;
  const address = [inner.address, inner.email, inner.emailAddress].find((one) => typeof one === 'string');
  const name = [inner.name, inner.displayName].find((one) => typeof one === 'string');
  const known = Object.keys(inner).length <= (name === undefined ? 1 : 2);
  if (address === undefined || !known) return [jsonText(value)];
  return [name === undefined ? String(address) : `${name} <${address}>`];
}

/** At commas, semicolons and line breaks, none inside quotes or angle brackets. A text too long stays in one piece. */
function splitList(text: string): string[] {
  if (text.length > MAX_UNITS) return [text];
  const parts: string[] = [];
  let [from, closes] = [0, ''];
  for (let at = 0; at <= text.length; at++) {
    const letter = text.charAt(at);
    if (at === text.length || (closes === '' && /[,;\n]/.test(letter))) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    } else if (letter === closes) closes = '';
    else if (closes === '') closes = letter === '"' ? '"' : letter === '<' ? '>' : '';
  }
  return parts.filter((part) => part !== '');
}

/** The address alone where there is one: that is where it goes, whatever the name before it says. */
export function addressOf(person: string): string {
  if (person.length > MAX_PERSON_UNITS) return person;
  const bracketed = /<([^<>]{1,400})>\s*$/.exec(person)?.[1];
  return bracketed ?? ADDRESS.exec(person)?.[0] ?? person;
}

function partsOf(text: string): readonly string[] {
  return text.length > MAX_PERSON_UNITS ? [] : (ADDRESS.exec(text) ?? []);
}

export function peopleSummary(people: readonly string[]): SummaryPart[] {
  const parts = people
    .slice(0, 2)
    .flatMap((one, at): SummaryPart[] =>
      at === 0 ? [middle(networkForm(one))] : [', ', middle(networkForm(one))],
    );
  return people.length > 2 ? [...parts, ` +${people.length - 2}`] : parts;
}

/** The address with its domain as mail programs ask for it. */
export function networkForm(person: string): string {
  const address = addressOf(person);
  const [, user, domain] = partsOf(address);
  if (user === undefined || domain === undefined || !foreignLetters(domain)) return address;
  const ascii = domainToASCII(domain);
  return ascii === '' ? address : `${user}@${ascii}`;
}

export function peopleRows(label: string, people: readonly string[]): Block[] {
  return people.length === 1
    ? shown(label, people[0], 'email')
    : people.length === 0
      ? []
      : shown(`${label} (${people.length})`, people.join('\n'), 'text');
}

export function peopleWarnings(people: readonly string[]): Block[] {
  return peopleReasons(people)
    .filter(({ level }) => level === 'high')
    .map(({ reason }) => row('Watch out', reason));
}

export function peopleReasons(people: readonly string[]): Reason[] {
  const each = people
    .slice(0, MAX_JUDGED)
    .flatMap((person) => [...domainReasons(person), ...nameReasons(person)]);
  return people.length < MANY ? each : [...each, normal(`goes to ${people.length} addresses`)];
}

function domainReasons(person: string): Reason[] {
  const [, user = '', domain = ''] = partsOf(addressOf(person));
  if (!foreignLetters(domain))
    return foreignLetters(user) ? [normal(`${user}@… has letters beyond a to z`)] : [];
  const ascii = domainToASCII(domain);
  const like = lookalike(domain);
  if (like !== undefined) return [high(`${domain} looks like ${like} but is ${ascii || 'no domain'}`)];
  return [normal(`${domain} is ${ascii || 'no domain'}`)];
}

/** `"boss@corp.example" <x@elsewhere.example>` */
function nameReasons(person: string): Reason[] {
  const address = addressOf(person);
  const name = person.endsWith('>') ? person.slice(0, person.lastIndexOf('<')) : '';
  const [inName] = partsOf(name);
  return inName === undefined || inName === address ? [] : [high(`named ${inName} but goes to ${address}`)];
}
