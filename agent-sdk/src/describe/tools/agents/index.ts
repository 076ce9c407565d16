/** What an agent does with itself: plans, helpers, questions, code, under the names that agents give these tools. */
import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { entries } from '../told.js';
import { toldCode } from './code.js';
import { toldHelper, toldOutput, toldQuestion, toldResource, toldStop } from './helper.js';
import { toldMode, toldPlan, toldPlanReady, toldThought } from './plan.js';

export const agentTools: readonly DescriberEntry[] = [
  ...entries(
    [
      ...listOf('TodoWrite update_plan write_todos todo_write manage_todo_list update_todo_list todowrite'),
      ...listOf('create_plan set_plan'),
    ],
    toldPlan,
  ),
  ...entries(
    ['sequentialthinking', 'sequential_thinking', 'think', 'thinking', 'reason', 'scratchpad', 'reflect'],
    toldThought,
  ),
  ...entries(
    [
      ...listOf('Task Agent new_task spawn_agent delegate_task dispatch_agent run_subagent create_task'),
      ...listOf('delegate_to_agent subagent launch_agent start_agent'),
    ],
    toldHelper,
  ),
  ...entries(
    [
      'AskUserQuestion',
      'ask_followup_question',
      'ask_user',
      'request_user_input',
      'human',
      'ask_human',
      'human_input',
      'ask_question',
    ],
    toldQuestion,
  ),
  ...entries(['ExitPlanMode', 'exit_plan_mode', 'plan_mode_respond'], toldPlanReady),
  ...entries(['switch_mode', 'attempt_completion', 'finish', 'complete_task', 'task_complete'], toldMode),
  ...entries(
    [
      ...listOf('KillShell KillBash kill_shell kill_process terminate_process stop_process kill_terminal'),
      ...listOf('force_terminate TaskStop'),
    ],
    toldStop,
  ),
  ...entries(
    [
      'BashOutput',
      'get_terminal_output',
      'read_process_output',
      'TaskOutput',
      'read_terminal',
      'check_process',
      'shell_view',
    ],
    toldOutput,
  ),
  ...entries(
    [
      'ListMcpResourcesTool',
      'ReadMcpResourceTool',
      'list_mcp_resources',
      'read_mcp_resource',
      'access_mcp_resource',
      'read_resource',
      'fetch_resource',
    ],
    toldResource,
  ),
  ...entries(
    [
      ...listOf('python execute_python run_python code_interpreter python_repl Python_REPL'),
      ...listOf('python_repl_ast execute_code run_code code_execution jupyter_execute'),
      ...listOf('execute_ipython_cell run_python_code python_exec ipython execute_cell run_cell'),
      ...listOf('execute_notebook_cell js_repl run_js node_repl run_code_in_sandbox pythonrepl'),
      ...listOf('riza_exec_python insert_execute_code_cell executeCode run_jupyter_cell'),
      ...listOf('execute_jupyter_code eval_code exec_python code_exec'),
    ],
    toldCode,
  ),
];
