/** What in a cluster a call is about, and where it is. Must not know what is done to it. */
import type { Block } from '@countersign/protocol/blocks';
import { end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { shown } from '../told.js';

export interface Thing {
  /** In lower case. */
  readonly kind: string | undefined;
  /** As the call writes it. */
  readonly written: string | undefined;
  readonly name: string | undefined;
  readonly selector: string | undefined;
  /** `deployment checkout`, `pods with app=web`. */
  readonly words: string;
}

export interface Where {
  readonly namespace: string | undefined;
  readonly cluster: string | undefined;
}

const KIND = listOf('resource_type kind resource_kind type resource');
const NAME = [
  ...listOf('name resource_name pod_name pod deployment deployment_name release release_name'),
  ...listOf('service_name chart_release config_map_name'),
];
const SELECTOR = listOf('label_selector selector labels field_selector');
/** Kinds that the name of a tool may say. */
const KINDS = /(pod|deployment|statefulset|service|namespace|node|job|cronjob|configmap|secret|event|helm)s?/;

/** Undefined when neither a name, a selector nor a kind is there. */
export function thingOf(given: Given, toolName: string, usual?: string): Thing | undefined {
  const kind = given.text(...KIND);
  const name = given.word(...NAME);
  const selector = given.text(...SELECTOR);
  if (kind === undefined && name === undefined && selector === undefined) return undefined;
  const said = KINDS.exec(ownName(toolName))?.[1];
  const what = kind?.toLowerCase() ?? (said === 'helm' ? 'release' : said) ?? usual;
  return {
    ...{ kind: what, written: kind ?? what, name, selector },
    words: [
      ...(what === undefined ? [] : [what]),
      ...(name === undefined ? [] : [name]),
      ...(selector === undefined ? [] : [`with ${selector}`]),
    ].join(' '),
  };
}

export function whereOf(given: Given): Where {
  return {
    namespace: given.text('namespace', 'ns'),
    cluster: given.text('context', 'cluster', 'cluster_name', 'kubeconfig_context'),
  };
}

export function thingParts({ kind, name, selector }: Thing): SummaryPart[] {
  const every = name === undefined && selector === undefined;
  return [
    ...(kind === undefined ? [] : [end(every ? `every ${kind.replace(/s$/, '')}` : kind)]),
    ...(name === undefined ? [] : [kind === undefined ? '' : ' ', middle(name)]),
    ...(selector === undefined ? [] : [' with ', middle(selector)]),
  ].filter((part) => part !== '');
}

export function whereParts({ namespace, cluster }: Where): SummaryPart[] {
  return [
    ...(namespace === undefined ? [] : [' in ', end(namespace)]),
    ...(cluster === undefined ? [] : [' on ', end(cluster)]),
  ];
}

export function placeRows(thing: Thing | undefined, { namespace, cluster }: Where): Block[] {
  return [
    ...shown('Kind', thing?.written),
    ...shown('Name', thing?.name),
    ...shown('Matching', thing?.selector),
    ...shown('Namespace', namespace),
    ...shown('Cluster', cluster),
  ];
}

export function isSecretKind(kind: string | undefined): boolean {
  return kind !== undefined && /^secrets?$/i.test(kind);
}
