/** Helpers an agent starts, questions it asks, processes and resources it has. */
import { jsonText } from '@countersign/protocol/blocks';
import { end, middle } from '../../describer.js';
import { asObject, type Given } from '../given.js';
import { and, hiddenReasons, low, normal, shown, type Told, watchOut } from '../told.js';

/** Claude Code's Task, Codex' and others' helpers: what they do is asked again, or is not. */
export function toldHelper(given: Given): Told | undefined {
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

export function toldQuestion(given: Given): Told | undefined {
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

export function toldStop(given: Given): Told | undefined {
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

export function toldOutput(given: Given): Told | undefined {
  const id = given.word('bash_id', 'shell_id', 'session_id', 'task_id', 'terminal_id', 'pid', 'shellId');
  if (id === undefined) return undefined;
  return {
    summary: ['Read the output of process ', end(id)],
    blocks: shown('Process', id),
    reasons: [low('only looks')],
    least: 'low',
  };
}

export function toldResource(given: Given): Told | undefined {
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
