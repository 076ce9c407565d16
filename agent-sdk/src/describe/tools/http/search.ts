/** Searches in the web: the words that leave the machine. */
import { end } from '../../describer.js';
import type { Given } from '../given.js';
import { listed, low, shown, type Told, watchOut } from '../told.js';

export function toldSearch(given: Given): Told | undefined {
  const queries = given.words(
    'query',
    'q',
    'search_query',
    'search_term',
    'queries',
    'keywords',
    'search',
    'messages',
  );
  const [first] = queries;
  if (first === undefined) return undefined;
  const more = queries.length > 1 ? [` +${queries.length - 1}`] : [];
  const only = given.words('allowed_domains', 'include_domains', 'site');
  return {
    summary: ['Search the web for ', end(first), ...more],
    blocks: [
      ...(queries.length === 1 ? shown('Words', first) : listed('Words', queries)),
      ...listed('Only in', only),
      ...watchOut(queries),
    ],
    reasons: [low('a search engine sees the words')],
    least: 'low',
  };
}
