/** Tools of code hosts: GitHub's and GitLab's servers and what is built like them. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { entries } from '../told.js';
import { toldDeleteFile, toldFile, toldPush } from './files.js';
import { toldComment, toldIssue, toldRead } from './issues.js';
import { toldMerge, toldPull, toldReview } from './pulls.js';
import { toldGist, toldRelease, toldWorkflow } from './releases.js';
import { toldBranch, toldRemoval, toldRepository } from './repositories.js';

const NAMES: readonly (readonly [names: readonly string[], tell: Parameters<typeof entries>[1]])[] = [
  [['create_or_update_file', 'create_file', 'update_file', 'create_single_file'], toldFile],
  [['push_files', 'commit_files', 'create_commit', 'create_commit_on_branch'], toldPush],
  [['delete_file'], toldDeleteFile],
  [
    [
      ...listOf('create_issue update_issue issue_write close_issue sub_issue_write'),
      ...listOf('assign_copilot_to_issue edit_issue create_work_item update_issue_state'),
      ...listOf('update_issue_title update_issue_body update_issue_labels update_issue_assignees'),
    ],
    toldIssue,
  ],
  [
    [
      ...listOf('add_issue_comment create_issue_comment comment_on_issue add_discussion_comment'),
      ...listOf('add_comment_to_pending_review add_reply_to_pull_request_comment create_note'),
      ...listOf('create_merge_request_note add_pull_request_comment create_issue_note'),
      ...listOf('update_issue_comment add_comment create_comment'),
    ],
    toldComment,
  ],
  [
    [
      ...listOf('create_pull_request update_pull_request create_merge_request update_merge_request'),
      ...listOf('create_pull_request_with_copilot update_pull_request_branch update_pull_request_state'),
      ...listOf('request_copilot_review update_pull_request_draft_state'),
    ],
    toldPull,
  ],
  [['merge_pull_request', 'merge_merge_request', 'accept_merge_request'], toldMerge],
  [
    [
      'pull_request_review_write',
      'create_pull_request_review',
      'create_and_submit_pull_request_review',
      'submit_pending_pull_request_review',
      'approve_merge_request',
      'create_pending_pull_request_review',
      'delete_pending_pull_request_review',
    ],
    toldReview,
  ],
  [
    [
      'create_branch',
      'delete_branch',
      'gitlab_create_branch',
      'gitlab_delete_branch',
      'github_create_branch',
      'github_delete_branch',
    ],
    toldBranch,
  ],
  [
    [
      ...listOf('create_repository fork_repository update_repository star_repository unstar_repository'),
      ...listOf('archive_repository add_repository_collaborator add_collaborator'),
      ...listOf('update_repository_settings create_repository_from_template'),
    ],
    toldRepository,
  ],
  [
    [
      ...listOf('delete_repository delete_repo delete_project delete_release delete_tag'),
      ...listOf('delete_workflow_run_logs delete_issue delete_label delete_milestone delete_package'),
      ...listOf('delete_issue_comment delete_environment delete_org_package'),
    ],
    toldRemoval,
  ],
  [
    [
      ...listOf('run_workflow actions_run_trigger rerun_workflow_run rerun_failed_jobs'),
      ...listOf('cancel_workflow_run trigger_workflow create_workflow_dispatch create_pipeline'),
      ...listOf('retry_pipeline cancel_pipeline play_pipeline_job'),
    ],
    toldWorkflow,
  ],
  [['create_release', 'update_release', 'create_tag'], toldRelease],
  [['create_gist', 'update_gist', 'create_snippet'], toldGist],
  [
    [
      ...listOf('get_file_contents get_issue issue_read list_issues list_commits get_commit'),
      ...listOf('list_pull_requests get_pull_request pull_request_read get_pull_request_files'),
      ...listOf('get_pull_request_diff get_pull_request_status get_pull_request_comments'),
      ...listOf('get_pull_request_reviews list_branches list_tags get_tag search_code search_issues'),
      ...listOf('search_repositories search_users search_pull_requests get_me list_workflows'),
      ...listOf('list_workflow_runs get_workflow_run get_job_logs actions_get actions_list list_releases'),
      ...listOf('get_latest_release list_code_scanning_alerts get_code_scanning_alert'),
      ...listOf('list_secret_scanning_alerts list_dependabot_alerts get_issue_comments list_notifications'),
      ...listOf('list_discussions get_discussion get_repository_tree get_release_by_tag get_merge_request'),
      ...listOf('list_merge_requests get_project list_projects get_repository list_repositories'),
    ],
    toldRead,
  ],
];

/** Before the tools for local files: `delete_file` with a repository is another thing. */
export const githubTools: readonly DescriberEntry[] = NAMES.flatMap(([names, tell]) => entries(names, tell));
