/** GraphQL documents: whether they ask or change, and which fields they name first. */
import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, end } from '../../describer.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { hiddenReasons, high, leakReasons, normal, shown, type Told, watchOut } from '../told.js';
import { placeOf } from '../web/rows.js';
import { toldRequest } from './request.js';

/** The operation and its first field; comments and variables between them are passed over, so far. */
const OPERATION =
  /^\s{0,200}(?:#[^\n]{0,500}\n\s{0,200}){0,20}(query|mutation|subscription)?\b[^{]{0,2000}\{\s{0,200}([A-Za-z_]\w{0,100})/;
const GRAVE = /delete|remove|destroy|revoke|transfer|pay|refund|cancel|archive|merge/i;

export function toldGraphql(given: Given, context: DescribeContext): Told | undefined {
  const document = given.text('query', 'mutation', 'document', 'graphql', 'operation');
  const found = document === undefined ? null : OPERATION.exec(document);
  if (document === undefined || found === null) return toldRequest(given, context);
  const [, operation = 'query', first = ''] = found;
  const variables = given.any('variables');
  const values = variables === undefined ? undefined : jsonText(variables, true);
  const url = given.text('url', 'endpoint');
  const place = url === undefined ? undefined : placeOf(url);
  const changes = operation === 'mutation';
  return {
    summary: [
      changes ? 'GraphQL change ' : 'GraphQL query ',
      end(first),
      ...(place === undefined ? [] : [' at ', ...place.summary]),
      ': ',
      end(document.replace(/\s+/g, ' ')),
    ],
    blocks: [
      block('Document', document, 'code', 'graphql'),
      ...shown('Values', values, 'json'),
      ...(place?.blocks ?? []),
      ...watchOut([document]),
    ],
    reasons: [
      ...(place?.reasons ?? []),
      ...(changes
        ? [GRAVE.test(first) ? high(`its name says ${first}`) : normal(`changes something: ${first}`)]
        : []),
      ...leakReasons([values]),
      ...hiddenReasons([document]),
    ],
    least: changes ? 'normal' : 'low',
  };
}
