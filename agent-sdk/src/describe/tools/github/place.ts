/** Which repository, branch and thing a call is about, as the servers of code hosts write it. */
import type { Block } from '@countersign/protocol/blocks';
import { middle, type SummaryPart } from '../../describer.js';
import type { Given } from '../given.js';
import { normal, type Reason, shown } from '../told.js';

/** Branches that others build on. */
const SHARED =
  /^(?:refs\/heads\/)?(?:main|master|trunk|develop|production|prod|release(?:[/-].*)?|stable|gh-pages)$/;

export interface Place {
  readonly repository: string;
  readonly summary: readonly SummaryPart[];
  readonly blocks: readonly Block[];
}

/** Undefined without a repository: the call is not one of a code host. */
export function placeIn(given: Given): Place | undefined {
  const name = given.word(
    'repo',
    'repository',
    'project_id',
    'project',
    'repo_slug',
    'full_name',
    'repo_name',
  );
  if (name === undefined) return undefined;
  const owner = given.word('owner') ?? given.word('organization', 'org', 'workspace');
  const repository = owner === undefined ? name : `${owner}/${name}`;
  return { repository, summary: [middle(repository)], blocks: shown('Repository', repository) };
}

export function branchIn(given: Given): string | undefined {
  return given.word('branch', 'branch_name', 'ref');
}

export function branchReasons(branch: string | undefined): Reason[] {
  if (branch === undefined) return [normal('goes to the main branch unless said otherwise')];
  return SHARED.test(branch) ? [normal(`goes straight to ${branch}`)] : [];
}
