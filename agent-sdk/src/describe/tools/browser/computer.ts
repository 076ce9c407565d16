/** One tool for a whole screen: an action by name, and where and what (Anthropic, OpenAI, editors). */
import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { otherRows } from '../../rows.js';
import { asObject, Given } from '../given.js';
import { and, hiddenReasons, low, normal, type Reason, shown, type Told, watchOut } from '../told.js';
import { placeOf } from '../web/rows.js';

const LOOKS =
  /^(?:screenshot|wait|scroll|scroll_down|scroll_up|mouse_move|move|cursor_position|zoom|hover|close|back|go_back|get_content|snapshot|move_mouse|extract)$/;
const WORDS: ReadonlyMap<string, string> = new Map([
  ...([
    ['left_click', 'Click'],
    ['click', 'Click'],
    ['right_click', 'Right-click'],
    ['middle_click', 'Middle-click'],
  ] as const),
  ...([
    ['double_click', 'Double-click'],
    ['triple_click', 'Triple-click'],
    ['type', 'Type'],
    ['key', 'Press'],
    ['keypress', 'Press'],
  ] as const),
  ...([
    ['hold_key', 'Hold'],
    ['left_click_drag', 'Drag'],
    ['drag', 'Drag'],
    ['screenshot', 'Take a screenshot'],
    ['wait', 'Wait'],
  ] as const),
  ...([
    ['mouse_move', 'Move the mouse'],
    ['move', 'Move the mouse'],
    ['scroll', 'Scroll'],
    ['launch', 'Open'],
    ['navigate', 'Open'],
  ] as const),
  ...([
    ['go_to_url', 'Open'],
    ['open', 'Open'],
    ['goto', 'Open'],
    ['input_text', 'Type'],
    ['close', 'Close the browser'],
  ] as const),
]);

export function toldComputer(given: Given, _context: DescribeContext): Told | undefined {
  // OpenAI's computer tool: `{action: {type, x, y, …}}`.
  const nested = asObject(given.args.action);
  if (nested !== undefined) {
    const inner = new Given(nested);
    const told = toldAction(inner);
    if (told === undefined) return undefined;
    given.any('action');
    return {
      ...told,
      blocks: [...told.blocks, ...otherRows(nested, inner.used)],
    };
  }
  return toldAction(given);
}

function toldAction(given: Given): Told | undefined {
  const action = given.text('action', 'type', 'command');
  if (action === undefined || !/^[a-z_ -]{2,40}$/i.test(action)) return undefined;
  const text = given.text('text', 'content', 'input');
  const keys = given.words('keys', 'key');
  const url = given.text('url');
  const place = url === undefined ? undefined : placeOf(url);
  const from = pointIn(given, ['start_coordinate', 'from']);
  const at = pointIn(given, ['coordinate', 'coordinates', 'position']) ?? xyIn(given);
  const direction = given.text('scroll_direction', 'direction');
  return {
    summary: [
      ...verbOf(action),
      ...and(' ', text),
      ...(keys.length > 0 ? [' ', end(keys.join('+'))] : []),
      ...(place === undefined ? [] : [' ', ...place.summary]),
      ...and(' from ', from),
      ...and(from === undefined ? ' at ' : ' to ', at),
      ...and(' ', direction),
    ],
    blocks: [
      ...[
        ...shown('Action', action),
        ...shown('Text', text, 'text'),
        ...shown('Keys', keys.length > 0 ? keys.join('+') : undefined),
      ],
      ...[
        ...(place?.blocks ?? []),
        ...shown('From', from),
        ...shown('At', at),
        ...shown('Direction', direction),
        ...watchOut([text]),
      ],
    ],
    reasons: [...(place?.reasons ?? []), ...actionReasons(action, text, keys), ...hiddenReasons([text])],
    least: LOOKS.test(action) || place !== undefined ? 'low' : 'normal',
  };
}

function verbOf(action: string): SummaryPart[] {
  const known = WORDS.get(action);
  return known === undefined ? ['On the screen: ', middle(action)] : [known];
}

function actionReasons(action: string, text: string | undefined, keys: readonly string[]): Reason[] {
  const enters = [...keys, ...(action === 'key' ? [text ?? ''] : [])].some((key) =>
    /enter|return/i.test(key.slice(0, 100)),
  );
  if (LOOKS.test(action)) return [low('only looks')];
  return enters || /\n/.test(text ?? '') ? [normal('Enter may send what is typed')] : [];
}

/** `[x, y]`, `"x,y"`, `{x, y}`. */
function pointIn(given: Given, names: readonly string[]): string | undefined {
  const words = given.words(...names);
  if (words.length > 0) return words.join(', ');
  const point = given.object(...names);
  return point === undefined
    ? undefined
    : Object.entries(point)
        .map(([name, value]) => (/^[xy]$/.test(name) ? jsonText(value) : `${name} ${jsonText(value)}`))
        .join(', ');
}

function xyIn(given: Given): string | undefined {
  const [x, y] = [given.word('x'), given.word('y')];
  return x === undefined && y === undefined ? undefined : `${x ?? '?'}, ${y ?? '?'}`;
}
