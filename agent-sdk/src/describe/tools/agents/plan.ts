/** Plans, thoughts and modes of an agent: its own notes, and when it begins to act on them. */
import { jsonText } from '@countersign/protocol/blocks';
import { end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { asObject, type Given } from '../given.js';
import { and, count, hiddenReasons, low, normal, shown, type Told, watchOut } from '../told.js';

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
const TASK_MEMBERS: ReadonlySet<string> = new Set(
  listOf('content step title description task text status state activeForm id priority'),
);

export function toldPlan(given: Given): Told | undefined {
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

export function toldThought(given: Given): Told | undefined {
  const text = given.text('thought', 'thoughts', 'thinking', 'reasoning', 'content', 'summary');
  if (text === undefined) return undefined;
  return {
    summary: ['Think: ', end(text)],
    blocks: shown('Thought', text, 'text'),
    reasons: [low('only the agent’s own notes')],
    least: 'low',
  };
}

/** The text of a plan to act on: saying yes lets the agent begin. */
export function toldPlanReady(given: Given): Told | undefined {
  const plan = given.text('plan', 'plan_path', 'plan_file_path');
  if (plan === undefined) return undefined;
  return {
    summary: ['Begin to act on the plan: ', end(plan)],
    blocks: [...shown('Plan', plan, 'markdown'), ...watchOut([plan])],
    reasons: [normal('the agent begins to act'), ...hiddenReasons([plan])],
  };
}

export function toldMode(given: Given): Told | undefined {
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
