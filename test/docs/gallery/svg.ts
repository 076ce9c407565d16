/** Small pictures of text, as SVG without scripts, fonts or images of others. Must not know what the text says. */

export interface Run {
  readonly text: string;
  readonly color?: string;
  readonly bold?: boolean;
}

export type TextLine = readonly Run[];

/** A stretch of lines, or a box of code. */
export interface Part {
  readonly lines: readonly TextLine[];
  readonly boxed: boolean;
}

export interface Look {
  readonly background: string;
  readonly box: string;
  readonly color: string;
  /** Three dots in the corner. */
  readonly dots: boolean;
  readonly buttons: readonly string[];
}

const FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';
const CHAR_PX = 7.8;
const LINE_PX = 19;
const PAD_PX = 18;
const MAX_COLUMNS = 84;
const BUTTON_PX = 34;
const BOX_GAP_PX = 8;

export function picture(parts: readonly Part[], look: Look): string {
  const wrapped = parts.map((part) => ({ ...part, lines: part.lines.flatMap(wrap) }));
  const columns = Math.max(40, ...wrapped.flatMap(({ lines }) => lines.map(lengthOf)));
  const width = Math.ceil(columns * CHAR_PX + 2 * PAD_PX);
  const top = look.dots ? 40 : PAD_PX;
  let y = top;
  const drawn: string[] = [];
  for (const { lines, boxed } of wrapped) {
    y += boxed ? BOX_GAP_PX : 0;
    if (boxed)
      drawn.push(rect(PAD_PX - 8, y - 4, width - 2 * PAD_PX + 16, lines.length * LINE_PX + 8, look.box));
    for (const line of lines) {
      y += LINE_PX;
      drawn.push(textLine(line, y - 5));
    }
    y += boxed ? BOX_GAP_PX : 0;
  }
  const height = y + PAD_PX / 2 + (look.buttons.length > 0 ? BUTTON_PX + 12 : 0);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${Math.ceil(height)}" font-family="${FONT}" font-size="13" fill="${look.color}">`,
    `<rect width="100%" height="100%" rx="10" fill="${look.background}"/>`,
    ...(look.dots ? dots() : []),
    ...drawn,
    ...buttons(look, width, y + PAD_PX / 2),
    '</svg>\n',
  ].join('\n');
}

function dots(): string[] {
  return ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, at) => `<circle cx="${20 + at * 18}" cy="19" r="5" fill="${color}"/>`,
  );
}

function buttons({ buttons: names, box }: Look, width: number, y: number): string[] {
  const each = (width - 2 * PAD_PX - 8 * (names.length - 1)) / names.length;
  return names.flatMap((name, at) => {
    const x = PAD_PX + at * (each + 8);
    const label = `<text x="${round(x + each / 2)}" y="${y + 22}" text-anchor="middle">${escaped(name)}</text>`;
    return [rect(x, y, each, BUTTON_PX, box), label];
  });
}

function rect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="6" fill="${fill}"/>`;
}

function textLine(line: TextLine, y: number): string {
  const runs = line.filter(({ text }) => text !== '').map(run);
  return runs.length === 0 ? '' : `<text x="${PAD_PX}" y="${y}" xml:space="preserve">${runs.join('')}</text>`;
}

function run({ text, color, bold }: Run): string {
  const style = `${color === undefined ? '' : ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}`;
  return style === '' ? escaped(text) : `<tspan${style}>${escaped(text)}</tspan>`;
}

function lengthOf(line: TextLine): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

/** Long lines go on below, a little to the right, if possible after a blank. */
function wrap(line: TextLine): TextLine[] {
  const lines: Run[][] = [[]];
  let left = MAX_COLUMNS;
  for (const one of line) {
    let { text } = one;
    while (text.length > left) {
      const blank = text.lastIndexOf(' ', left - 1) + 1;
      const cut = blank > left / 2 ? blank : left;
      lines.at(-1)?.push({ ...one, text: text.slice(0, cut) });
      text = text.slice(cut);
      lines.push([{ text: '  ' }]);
      left = MAX_COLUMNS - 2;
    }
    lines.at(-1)?.push({ ...one, text });
    left -= text.length;
  }
  return lines;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(px: number): number {
  return Math.round(px * 10) / 10;
}
