/** Branches and repositories: made, shared, deleted. */
import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { and, high, type Reason, shown, type Told } from '../told.js';
import { branchIn, placeIn } from './place.js';

export function toldBranch(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const branch = branchIn(given);
  if (place === undefined || branch === undefined) return undefined;
  const from = given.word('from_branch', 'source_branch', 'from', 'base');
  const deletes = /^(?:git(?:hub|lab))?delete/.test(ownName(toolName));
  return {
    summary: [
      deletes ? 'Delete branch ' : 'Create branch ',
      middle(branch),
      ' in ',
      ...place.summary,
      ...and(' from ', from),
    ],
    blocks: [...place.blocks, ...shown('Branch', branch), ...shown('From', from)],
    reasons: deletes ? [high(`deletes the branch ${branch.slice(0, 80)}`)] : [],
  };
}

export function toldRepository(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const name = given.text('name');
  const what = place?.repository ?? name;
  if (what === undefined) return undefined;
  const open = given.truth('private');
  const visibility = open === undefined ? given.text('visibility') : open ? 'private' : 'public';
  const person = given.text('username', 'collaborator', 'user');
  const own = ownName(toolName);
  return {
    summary: [
      ...repositoryVerb(own),
      ...(person === undefined ? [] : [middle(person), ' to ']),
      middle(what),
      ...and(' as ', visibility),
    ],
    blocks: [
      ...(place?.blocks ?? []),
      ...shown('Name', name),
      ...shown('Visible to', visibility),
      ...shown('Person', person),
    ],
    reasons: repositoryReasons(own, visibility, person),
  };
}

function repositoryVerb(name: string): SummaryPart[] {
  if (/collaborator/.test(name)) return ['Give access: '];
  const verb = /^(create|fork|update|star|unstar|archive)/.exec(name)?.[1] ?? 'change';
  return [`${verb.charAt(0).toUpperCase()}${verb.slice(1)} repository `];
}

function repositoryReasons(
  name: string,
  visibility: string | undefined,
  person: string | undefined,
): Reason[] {
  if (person !== undefined) return [high(`gives ${person.slice(0, 60)} access`)];
  if (/archive/.test(name)) return [high('archives a repository')];
  return visibility === 'public' && /^(?:create|update)/.test(name) ? [high('everybody can see it')] : [];
}

export function toldRemoval(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const thing = given.word(
    'release_id',
    'run_id',
    'tag',
    'tag_name',
    'issue_number',
    'name',
    'comment_id',
    'label',
    'package_name',
    'id',
    'environment_name',
    'milestone_number',
  );
  if (place === undefined && thing === undefined) return undefined;
  const what = ownName(toolName).replace(/^delete/, '');
  return {
    summary: [
      `Delete `,
      end(what.slice(0, 30)),
      ...(thing === undefined ? [] : [' ', middle(thing)]),
      ...(place === undefined ? [] : [thing === undefined ? ' ' : ' in ', ...place.summary]),
    ],
    blocks: [...(place?.blocks ?? []), ...shown('Which', thing)],
    reasons: [high(`deletes ${(thing ?? place?.repository ?? '').slice(0, 80)} for everybody`)],
  };
}
