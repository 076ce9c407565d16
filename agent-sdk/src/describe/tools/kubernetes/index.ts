/** Tools of clusters, under the names of the common MCP servers for Kubernetes and Helm. */
import { type DescribeContext, type DescriberEntry, end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import type { Given } from '../given.js';
import { entries, high, low, normal, shown, type Tell, type Told } from '../told.js';
import { toldApply, toldHelm, toldPatch } from './change.js';
import { toldExec, toldGeneric } from './run.js';
import { isSecretKind, placeRows, thingOf, thingParts, whereOf, whereParts } from './thing.js';

/** Other tools deploy and scale too: either the name or an argument must speak of a cluster. */
const SPEAKS =
  /kube|k8s|pod|helm|namespace|node|rollout|configmap|cronjob|statefulset|manifest|^resources?_/i;
const OF_CLUSTERS = listOf('namespace manifest replicas api_version label_selector resource_type');

const DELETE = [
  ...listOf('kubectl_delete k8s_delete pods_delete resources_delete delete_resource delete_pod'),
  ...listOf('delete_deployment delete_service delete_namespace delete_cronjob delete_configmap'),
  ...listOf('uninstall_helm_chart helm_uninstall cleanup_pods delete_statefulset delete_job'),
];
const APPLY = [
  ...listOf('kubectl_apply kubectl_create kubectl_replace k8s_apply k8s_create apply_manifest apply_yaml'),
  ...listOf('resources_create_or_update create_or_update_resource apply_resource create_deployment'),
  ...listOf('create_pod create_namespace create_configmap create_cronjob update_configmap pods_run'),
];
const SCALE = listOf('kubectl_scale k8s_scale scale_deployment scale_resource resources_scale scale');
const ROLLOUT = listOf('kubectl_rollout k8s_rollout rollout_restart restart_deployment kubectl_restart');
const HELM = listOf('install_helm_chart upgrade_helm_chart helm_install helm_upgrade helm_rollback');
const NODE = listOf('node_management drain_node cordon_node uncordon_node kubectl_drain kubectl_cordon');
const LOOK = [
  ...listOf('kubectl_get kubectl_describe kubectl_list kubectl_logs k8s_get k8s_describe k8s_logs'),
  ...listOf('pods_list pods_list_in_namespace pods_get pods_log pods_top resources_get resources_list'),
  ...listOf('namespaces_list events_list helm_list nodes_top nodes_log get_pods get_deployments'),
  ...listOf('list_pods list_deployments list_services list_namespaces list_nodes get_logs get_events'),
  ...listOf('explain_resource list_api_resources projects_list get_pod_logs'),
];

function toldDelete(given: Given, context: DescribeContext): Told | undefined {
  const thing = thingOf(given, context.toolName);
  const where = whereOf(given);
  const all = given.flag('all_namespaces');
  const manifest = given.any('manifest', 'filename');
  if (thing === undefined && manifest === undefined) return undefined;
  const force = given.flag('force') || given.word('grace_period_seconds') === '0';
  return {
    summary: [
      'Delete ',
      ...(thing === undefined ? ['what a manifest lists'] : thingParts(thing)),
      ...(all ? [' in ALL namespaces'] : whereParts(where)),
      ...(force ? [' at once'] : []),
    ],
    blocks: [...placeRows(thing, where), ...shown('Manifest', textOf(manifest), 'code', 'yaml')],
    reasons: [
      high(
        thing?.kind === 'namespace'
          ? `deletes namespace ${thing.name ?? ''} with everything in it`
          : `deletes ${thing?.words ?? 'what the manifest lists'}`,
      ),
      ...(thing?.name === undefined && thing !== undefined ? [high('more than one may match')] : []),
      ...(all ? [high('in all namespaces')] : []),
      ...(force ? [high('without time to shut down')] : []),
    ],
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function toldScale(given: Given, context: DescribeContext): Told | undefined {
  const thing = thingOf(given, context.toolName, 'deployment');
  const replicas = given.word('replicas', 'scale', 'count');
  if (thing === undefined || replicas === undefined) return undefined;
  const where = whereOf(given);
  return {
    summary: ['Scale ', ...thingParts(thing), ' to ', end(replicas), ...whereParts(where)],
    blocks: [...placeRows(thing, where), ...shown('Copies', replicas, 'number')],
    reasons: [high(replicas === '0' ? `stops ${thing.words}` : `changes how many of ${thing.words} run`)],
  };
}

function toldRollout(given: Given, context: DescribeContext): Told | undefined {
  const thing = thingOf(given, context.toolName, 'deployment');
  const verb = given.text('sub_command', 'subcommand', 'action', 'operation') ?? 'restart';
  if (thing === undefined) return undefined;
  const where = whereOf(given);
  const looks = /^(?:status|history)$/.test(verb);
  return {
    summary: ['Rollout ', end(verb), ' of ', ...thingParts(thing), ...whereParts(where)],
    blocks: [...shown('Rollout', verb), ...placeRows(thing, where)],
    reasons: [looks ? low('only looks') : high(`replaces what runs of ${thing.words}`)],
    least: looks ? 'low' : 'normal',
  };
}

function toldNode(given: Given, { toolName }: DescribeContext): Told | undefined {
  const node = given.text('node_name', 'node', 'name');
  const verb = given.text('operation', 'action') ?? /(uncordon|cordon|drain)/.exec(toolName)?.[1];
  if (node === undefined || verb === undefined) return undefined;
  return {
    summary: [end(verb.charAt(0).toUpperCase() + verb.slice(1)), ' node ', end(node)],
    blocks: [...shown('Does', verb), ...shown('Node', node)],
    reasons: [
      verb === 'list'
        ? low('only looks')
        : high(verb === 'drain' ? `moves everything off ${node}` : `changes what may run on ${node}`),
    ],
    least: verb === 'list' ? 'low' : 'normal',
  };
}

function toldLook(given: Given, context: DescribeContext): Told | undefined {
  const thing = thingOf(given, context.toolName);
  const where = whereOf(given);
  const logs = /log/i.test(context.toolName);
  const secret = isSecretKind(thing?.kind);
  return {
    summary: [
      logs ? 'Read logs of ' : 'Look at ',
      ...(thing === undefined ? ['the cluster'] : thingParts(thing)),
      ...(given.flag('all_namespaces') ? [' in all namespaces'] : whereParts(where)),
    ],
    blocks: placeRows(thing, where),
    reasons: [secret ? high('reads secrets') : low('only looks')],
    least: secret ? 'normal' : 'low',
  };
}

function toldContext(given: Given): Told | undefined {
  const name = given.text('name', 'context');
  const verb = given.text('operation', 'action') ?? 'use';
  if (name === undefined || /^(?:list|get)$/.test(verb))
    return {
      summary: ['Look at the clusters'],
      blocks: shown('Does', given.text('operation')),
      least: 'low',
    };
  return {
    summary: ['Switch to cluster ', end(name)],
    blocks: [...shown('Does', verb), ...shown('Cluster', name)],
    reasons: [normal('later calls go to that cluster')],
  };
}

function inCluster(names: readonly string[], tell: Tell): DescriberEntry[] {
  return entries(names, (given, context) =>
    SPEAKS.test(context.toolName.slice(0, 200)) || given.has(...OF_CLUSTERS)
      ? tell(given, context)
      : undefined,
  );
}

export const kubernetesTools: readonly DescriberEntry[] = [
  ...inCluster(DELETE, toldDelete),
  ...inCluster(APPLY, toldApply),
  ...inCluster(listOf('kubectl_patch k8s_patch patch_resource'), toldPatch),
  ...inCluster(SCALE, toldScale),
  ...inCluster(ROLLOUT, toldRollout),
  ...inCluster(HELM, toldHelm),
  ...inCluster(NODE, toldNode),
  ...inCluster(listOf('exec_in_pod pods_exec kubectl_exec k8s_exec exec_pod'), toldExec),
  ...inCluster(['kubectl_generic'], toldGeneric),
  ...inCluster(['kubectl_context', 'use_context', 'switch_context'], toldContext),
  ...inCluster(LOOK, toldLook),
];
