/** Draws what `countersign describe` printed. Must not know calls. */
import { type Look, type Part, picture, type Run, type TextLine } from './svg.js';

const TERMINAL: Look = { background: '#1b1f27', box: '#1b1f27', color: '#d5dae3', dots: true, buttons: [] };
const TELEGRAM = { background: '#e7f0d8', box: '#d3e3bd', color: '#1c2a12', dots: false };
const DISCORD = { background: '#313338', box: '#2b2d31', color: '#dbdee1', dots: false };
const OLD = '#f47067';
const NEW = '#6bc46d';
const QUIET = '#8b95a5';
const RISK: Readonly<Record<string, string>> = { high: '#f47067', normal: '#e0b252', low: '#6bc46d' };

/** The plain form: the summary, rows with their names in colour, values below them indented. */
export function drawTerminal(command: string, printed: string): string {
  const lines = printed.trimEnd().split('\n');
  const shown = lines.map(
    (line, at): TextLine => (at === 0 ? [{ text: line, bold: true }] : plainLine(line)),
  );
  return picture(
    [{ boxed: false, lines: [[{ text: `$ ${command}`, color: QUIET }], [], ...shown] }],
    TERMINAL,
  );
}

function plainLine(line: string): TextLine {
  const risk = /^Risk: (low|normal|high)/.exec(line);
  if (risk !== null) return [{ text: line, color: RISK[risk[1] ?? ''] ?? QUIET, bold: true }];
  if (line.startsWith('    ')) return [valueRun(line)];
  const name = /^[^:]+:/.exec(line)?.[0] ?? '';
  return [{ text: name, color: '#6cb6ff' }, { text: line.slice(name.length) }];
}

function valueRun(line: string): Run {
  if (line.startsWith('    - ')) return { text: line, color: OLD };
  if (line.startsWith('    + ')) return { text: line, color: NEW };
  return line.startsWith('    = ') ? { text: line, color: QUIET } : { text: line };
}

/** Telegram's HTML as a bubble with its buttons. */
export function drawTelegram(html: string, buttons: readonly string[]): string {
  const parts = html
    .trimEnd()
    .split(/(<pre>[\s\S]*?<\/pre>)/)
    .map((part): Part => {
      const code = /^<pre>(?:<code[^>]*>)?([\s\S]*?)(?:<\/code>)?<\/pre>$/.exec(part);
      if (code !== null) return { boxed: true, lines: linesOf(unescapeHtml(code[1] ?? '')) };
      return { boxed: false, lines: marked(part.replace(/^\n|\n$/g, '')) };
    });
  return picture(withoutEmpty(parts), { ...TELEGRAM, buttons });
}

function marked(html: string): TextLine[] {
  return html.split('\n').map((line) =>
    [...line.matchAll(/<b>(.*?)<\/b>|<code>(.*?)<\/code>|([^<]+)/g)].map(([, bold, code, text]): Run => {
      if (bold !== undefined) return { text: unescapeHtml(bold), bold: true };
      if (code !== undefined) return { text: unescapeHtml(code), color: '#3d6b1f' };
      return { text: unescapeHtml(text ?? '') };
    }),
  );
}

function unescapeHtml(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Discord's Markdown as a message with its buttons. */
export function drawDiscord(markdown: string, buttons: readonly string[]): string {
  const parts = markdown
    .trimEnd()
    .split(/(^```[\s\S]*?\n```$)/m)
    .map((part): Part => {
      const code = /^```\w*\n([\s\S]*?)\n```$/.exec(part);
      if (code !== null) return { boxed: true, lines: linesOf(code[1] ?? '') };
      return {
        boxed: false,
        lines: part
          .replace(/^\n|\n$/g, '')
          .split('\n')
          .map(strong),
      };
    });
  return picture(withoutEmpty(parts), { ...DISCORD, buttons });
}

function strong(line: string): TextLine {
  return line.split(/(?<!\\)\*\*/).map((text, at): Run => {
    const shown = text.replace(/\\([^0-9A-Za-z\s])/g, '$1');
    return at % 2 === 1 ? { text: shown, bold: true } : { text: shown };
  });
}

function linesOf(code: string): TextLine[] {
  return code.split('\n').map((line): TextLine => {
    const run = valueRun(`    ${line}`);
    return [{ ...run, text: line }];
  });
}

function withoutEmpty(parts: readonly Part[]): Part[] {
  return parts.filter(({ lines }) => lines.some((line) => line.some(({ text }) => text !== '')));
}
