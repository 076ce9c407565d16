/** What an agent does with itself: plans, thoughts, helpers it starts, questions to its human, its own servers' offers. */

import { jsonText } from '@countersign/protocol/blocks';
import { type DescriberEntry, end, middle } from '../../describer.js';
import { asObject, type Given } from '../given.js';
import {
  and,
  count,
  entries,
  hiddenReasons,
  high,
  listed,
  low,
  normal,
  shown,
  type Told,
  watchOut,
} from '../told.js';

const MARKS: ReadonlyMap<string, string> = new Map([
  ...([
    ['completed', '[x]'],
    ['done', '[x]'],
    ['in_progress', '[~]'],
    ['in-progress', '[~]'],
    ['pending', '[ ]'],
  ] as const),
  ...([
    ['not_started', '[ ]'],
    ['not-started', '[ ]'],
    ['cancelled', '[-]'],
    ['todo', '[ ]'],
  ] as const),
]);
/** Members of a task that its line tells or repeats. */
const TASK_MEMBERS: ReadonlySet<string> = new Set([
  'content',
  'step',
  'title',
  'description',
  'task',
  'text',
  'status',
  'state',
  'activeForm',
  'id',
  'priority',
]);

function toldPlan(given: Given): Told | undefined {
  const list = given.list('todos', 'plan', 'tasks', 'todoList', 'todo_list', 'items', 'steps');
  const text = list === undefined ? given.text('plan', 'todos', 'markdown') : undefined;
  if (list === undefined && text === undefined) return undefined;
  const lines = list?.map(taskLine) ?? [];
  const current = lines.find((line) => line.startsWith('[~]')) ?? lines[0];
  const why = given.text('explanation');
  return {
    summary: [
      `Plan${list === undefined ? '' : ` ${count(lines.length, 'step')}`}: `,
      end(current?.replace(/^\[.\] /, '') ?? text ?? ''),
    ],
    blocks: [
      ...shown(
        'Plan',
        list === undefined ? text : lines.join('\n'),
        list === undefined ? 'markdown' : 'text',
      ),
      ...shown('Why', why, 'text'),
    ],
    reasons: [low('only the agent’s own notes')],
    least: 'low',
  };
}

function taskLine(one: unknown): string {
  if (typeof one === 'string') return one;
  const object = asObject(one);
  const text = [
    object?.content,
    object?.step,
    object?.title,
    object?.task,
    object?.description,
    object?.text,
  ].find((value) => typeof value === 'string');
  const mark = MARKS.get(String(object?.status ?? object?.state ?? '')) ?? '';
  const known = object !== undefined && Object.keys(object).every((name) => TASK_MEMBERS.has(name));
  if (text === undefined || !known) return jsonText(one);
  const others = Object.entries(object).filter(
    ([name, value]) =>
      typeof value === 'string' && value !== text && !/^(?:status|state|activeForm|id|priority)$/.test(name),
  );
  return [`${mark} ${text}`.trim(), ...others.map(([, value]) => String(value))].join(' — ');
}

function toldThought(given: Given): Told | undefined {
  const text = given.text('thought', 'thoughts', 'thinking', 'reasoning', 'content', 'summary');
  if (text === undefined) return undefined;
  return {
    summary: ['Think: ', end(text)],
    blocks: shown('Thought', text, 'text'),
    reasons: [low('only the agent’s own notes')],
    least: 'low',
  };
}

/** Claude Code's Task, Codex' and others' helpers: what they do is asked again, or is not. */
function toldHelper(given: Given): Told | undefined {
  const prompt = given.text('prompt', 'task', 'message', 'instructions', 'objective', 'input');
  const title = given.text('description', 'title', 'name', 'task_name');
  const kind = given.text('subagent_type', 'agent', 'agent_name', 'mode', 'agent_type', 'mode_slug');
  if (prompt === undefined) return undefined;
  return {
    summary: ['Start a helper', ...and(' ', kind), ': ', end(title ?? prompt)],
    blocks: [
      ...shown('Kind', kind),
      ...shown('Called', title),
      ...shown('Told to', prompt, 'text'),
      ...watchOut([prompt]),
    ],
    reasons: [normal('the helper acts by itself'), ...hiddenReasons([prompt])],
  };
}

function toldQuestion(given: Given): Told | undefined {
  const questions = given
    .list('questions')
    ?.map((one) => asObject(one)?.question ?? one)
    .map((one) => (typeof one === 'string' ? one : jsonText(one)));
  const text = given.text('question', 'message', 'prompt', 'text');
  const first = text ?? questions?.[0];
  if (first === undefined) return undefined;
  return {
    summary: ['Ask: ', end(first)],
    blocks: [
      ...shown('Question', text, 'text'),
      ...shown(
        'Questions',
        questions === undefined ? undefined : jsonText(given.args.questions, true),
        'json',
      ),
    ],
    least: 'low',
  };
}

function toldMode(given: Given): Told | undefined {
  const plan = given.text('plan', 'result', 'summary');
  const mode = given.text('mode_slug', 'mode');
  const reason = given.text('reason');
  if (plan === undefined && mode === undefined) return undefined;
  return {
    summary:
      mode === undefined
        ? ['Finish: ', end(plan ?? '')]
        : ['Switch to mode ', end(mode), ...and(': ', reason)],
    blocks: [...shown('Text', plan, 'markdown'), ...shown('Mode', mode), ...shown('Why', reason, 'text')],
  };
}

/** The text of a plan to act on: saying yes lets the agent begin. */
function toldPlanReady(given: Given): Told | undefined {
  const plan = given.text('plan', 'plan_path', 'plan_file_path');
  if (plan === undefined) return undefined;
  return {
    summary: ['Begin to act on the plan: ', end(plan)],
    blocks: [...shown('Plan', plan, 'markdown'), ...watchOut([plan])],
    reasons: [normal('the agent begins to act'), ...hiddenReasons([plan])],
  };
}

function toldStop(given: Given): Told | undefined {
  const id = given.word(
    'shell_id',
    'bash_id',
    'session_id',
    'process_id',
    'pid',
    'task_id',
    'terminal_id',
    'shellId',
  );
  return id === undefined ? undefined : { summary: ['Stop process ', end(id)], blocks: shown('Process', id) };
}

function toldOutput(given: Given): Told | undefined {
  const id = given.word('bash_id', 'shell_id', 'session_id', 'task_id', 'terminal_id', 'pid', 'shellId');
  if (id === undefined) return undefined;
  return {
    summary: ['Read the output of process ', end(id)],
    blocks: shown('Process', id),
    reasons: [low('only looks')],
    least: 'low',
  };
}

function toldResource(given: Given): Told | undefined {
  const uri = given.text('uri', 'resource_uri');
  const server = given.text('server', 'server_name');
  if (uri === undefined && server === undefined) return undefined;
  return {
    summary:
      uri === undefined
        ? ['List what the server ', end(server ?? ''), ' offers']
        : ['Read ', middle(uri), ...and(' of the server ', server)],
    blocks: [...shown('Server', server), ...shown('Resource', uri, 'url')],
    least: 'low',
  };
}

/** Code given to an interpreter: no command line, and yet it can do all that one can. */
function toldCode(given: Given): Told | undefined {
  const code = given.text('code', 'source', 'python_code', 'script', 'python', 'cell', 'query', 'command');
  if (code === undefined) return undefined;
  const language = given.text('language', 'lang', 'kernel') ?? 'code';
  const reaches = CODE_REACHES.filter(([expression]) => expression.test(code.slice(0, 100_000))).map(
    ([, words]) => words,
  );
  return {
    summary: [
      'Run ',
      end(language === 'code' ? 'code' : language),
      ': ',
      middle(code.replace(/\s*\n\s*/g, ' ⏎ ')),
    ],
    blocks: [
      ...shown(
        'Code',
        code,
        'code',
        /^[A-Za-z0-9_+#.-]{1,32}$/.test(language) && language !== 'code' ? language : undefined,
      ),
      ...shown('Language', given.text('language', 'lang', 'kernel')),
      ...listed('Reaches', reaches),
      ...watchOut([code]),
    ],
    reasons: [
      ...reaches.map((words) => high(`the code ${words}`)),
      normal('runs code'),
      ...hiddenReasons([code]),
    ],
  };
}

const CODE_REACHES: readonly (readonly [expression: RegExp, words: string])[] = [
  [
    /\b(?:subprocess|os\.system|os\.popen|child_process|execSync|spawnSync|Runtime\.getRuntime|pty\.spawn)\b/,
    'starts other programs',
  ],
  [
    /\b(?:shutil\.rmtree|os\.remove|os\.unlink|rmSync|unlinkSync|fs\.rm\b|rimraf|\.unlink\()/,
    'deletes files',
  ],
  [
    /\b(?:requests\.|urllib|httpx|aiohttp|socket\.|fetch\(|axios|XMLHttpRequest|http\.client|smtplib)/,
    'talks to other machines',
  ],
  [/\b(?:eval|exec|compile|__import__|Function)\s{0,3}\(/, 'makes code while it runs'],
  [/\b(?:os\.environ|process\.env|getenv)\b/, 'looks into the environment'],
];

export const agentTools: readonly DescriberEntry[] = [
  ...entries(
    [
      'TodoWrite',
      'update_plan',
      'write_todos',
      'todo_write',
      'manage_todo_list',
      'update_todo_list',
      'todowrite',
      'create_plan',
      'set_plan',
    ],
    toldPlan,
  ),
  ...entries(
    ['sequentialthinking', 'sequential_thinking', 'think', 'thinking', 'reason', 'scratchpad', 'reflect'],
    toldThought,
  ),
  ...entries(
    [
      'Task',
      'Agent',
      'new_task',
      'spawn_agent',
      'delegate_task',
      'dispatch_agent',
      'run_subagent',
      'create_task',
      'delegate_to_agent',
      'subagent',
      'launch_agent',
      'start_agent',
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
      'KillShell',
      'KillBash',
      'kill_shell',
      'kill_process',
      'terminate_process',
      'stop_process',
      'kill_terminal',
      'force_terminate',
      'TaskStop',
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
      'python',
      'execute_python',
      'run_python',
      'code_interpreter',
      'python_repl',
      'Python_REPL',
      'python_repl_ast',
      'execute_code',
      'run_code',
      'code_execution',
      'jupyter_execute',
      'execute_ipython_cell',
      'run_python_code',
      'python_exec',
      'ipython',
      'execute_cell',
      'run_cell',
      'execute_notebook_cell',
      'js_repl',
      'run_js',
      'node_repl',
      'run_code_in_sandbox',
      'pythonrepl',
      'riza_exec_python',
      'insert_execute_code_cell',
      'executeCode',
      'run_jupyter_cell',
      'execute_jupyter_code',
      'eval_code',
      'exec_python',
      'code_exec',
    ],
    toldCode,
  ),
];
