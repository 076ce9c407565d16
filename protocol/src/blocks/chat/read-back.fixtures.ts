/**
 * Reads messages back as each platform would show them: what the property tests of the dialects compare with. Written
 * from the platforms' rules, not from the dialects.
 */
import type {
  DiscordMessage,
  MatrixMessage,
  PlainMessage,
  SlackMessage,
  TelegramEntitiesMessage,
  TelegramHtmlMessage,
} from './index.js';

/** What a platform shows: stretches of text, each as code, as a box of code, strong, or as it is. */
export interface Shown {
  readonly style: 'pre' | 'code' | 'strong' | 'plain';
  readonly text: string;
  readonly lang?: string;
}

export const shownText = (shown: readonly Shown[]): string => shown.map(({ text }) => text).join('');

const unescapeHtml = (text: string): string => {
  if (/&(?!(?:amp|lt|gt|quot);)/.test(text) || /[<>]/.test(text)) throw new Error(`not escaped: ${text}`);
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
};

/** HTML of the few tags a dialect may write, none nested but `code` in `pre`; anything else throws. */
function readHtml(html: string, tags: Readonly<Record<string, Shown['style']>>, newline: string): Shown[] {
  const shown: Shown[] = [];
  let rest = html;
  const box = /^<pre>(?:<code(?: class="language-([A-Za-z0-9_+#.-]+)")?>([^<]*)<\/code>|([^<]*))<\/pre>/;
  while (rest !== '') {
    const pre = box.exec(rest);
    const tag = /^<([a-z]+)>([^<]*)<\/\1>/.exec(rest);
    const text = /^[^<]+/.exec(rest);
    if (pre !== null) {
      const lang = pre[1] === undefined ? {} : { lang: pre[1] };
      shown.push({ style: 'pre', text: unescapeHtml(pre[2] ?? pre[3] ?? ''), ...lang });
      rest = rest.slice(pre[0].length);
    } else if (newline !== '' && rest.startsWith(newline)) {
      shown.push({ style: 'plain', text: '\n' });
      rest = rest.slice(newline.length);
    } else if (tag !== null && Object.hasOwn(tags, tag[1] ?? '')) {
      shown.push({ style: tags[tag[1] ?? ''] ?? 'plain', text: unescapeHtml(tag[2] ?? '') });
      rest = rest.slice(tag[0].length);
    } else if (text !== null) {
      shown.push({ style: 'plain', text: unescapeHtml(text[0]) });
      rest = rest.slice(text[0].length);
    } else throw new Error(`markup out of order: ${rest.slice(0, 80)}`);
  }
  return shown;
}

export function readTelegramHtml({ text }: TelegramHtmlMessage): Shown[] {
  return readHtml(text, { b: 'strong', code: 'code' }, '');
}

export function readTelegramEntities({ text, entities }: TelegramEntitiesMessage): Shown[] {
  const shown: Shown[] = [];
  let at = 0;
  for (const { type, offset, length, language } of entities) {
    if (offset < at || length < 1 || offset + length > text.length) throw new Error('entities out of order');
    if (offset > at) shown.push({ style: 'plain', text: text.slice(at, offset) });
    const style = type === 'bold' ? 'strong' : type;
    shown.push({
      style,
      text: text.slice(offset, offset + length),
      ...(language === undefined ? {} : { lang: language }),
    });
    at = offset + length;
  }
  if (at < text.length) shown.push({ style: 'plain', text: text.slice(at) });
  return shown;
}

export function readSlack({ blocks }: SlackMessage): Shown[] {
  const elements = blocks.flatMap((block) => {
    if (block.type !== 'rich_text') throw new Error('not a rich text');
    return block.elements;
  });
  return elements.flatMap((element, at): Shown[] => {
    const beside =
      at > 0 && element.type !== elements[at - 1]?.type ? [{ style: 'plain' as const, text: '\n' }] : [];
    const texts = element.elements.map((one): Shown => {
      if (one.type !== 'text' || one.text === '') throw new Error('not a text');
      const style = one.style === undefined ? 'plain' : 'bold' in one.style ? 'strong' : 'code';
      return { style, text: one.text };
    });
    if (element.type === 'rich_text_section') return [...beside, ...texts];
    const lang = element.language === undefined ? {} : { lang: element.language };
    return [...beside, { style: 'pre', text: shownText(texts), ...lang }];
  });
}

/** In the order in which Discord tries its rules: a box, an escape, strong, text. */
export function readDiscord({ content }: DiscordMessage): Shown[] {
  const shown: Shown[] = [];
  let rest = content;
  let strong = false;
  const text = (one: string) => {
    const style = strong ? 'strong' : 'plain';
    const last = shown.at(-1);
    if (last?.style === style) shown[shown.length - 1] = { style, text: last.text + one };
    else shown.push({ style, text: one });
  };
  while (rest !== '') {
    const box = /^```(?:([a-z0-9_+\-.#]+?)\n)?(\n*[^\n][\s\S]*?)\n*```/i.exec(rest);
    const literal = /^\\([^0-9A-Za-z\s])/.exec(rest);
    if (box !== null && !strong) {
      const code = /^```[a-z0-9_-]*\n([\s\S]*?)\n```/i.exec(rest);
      if (code === null) throw new Error(`a box in one line: ${rest.slice(0, 80)}`);
      const lang = box[1] === undefined ? {} : { lang: box[1] };
      shown.push({ style: 'pre', text: code[1] ?? '', ...lang });
      rest = rest.slice(code[0].length);
    } else if (literal !== null) {
      text(literal[1] ?? '');
      rest = rest.slice(2);
    } else if (rest.startsWith('**')) {
      strong = !strong;
      rest = rest.slice(2);
    } else {
      const one = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      // What our own words have: `: `, `(2/3)`, the sentence about what was left out.
      if (/[!-/:-@[-`{-~]/.test(one) && !'():/'.includes(one))
        throw new Error(`bare markup: ${rest.slice(0, 80)}`);
      text(one);
      rest = rest.slice(one.length);
    }
  }
  if (strong) throw new Error('strong is not closed');
  return withoutSeams(shown);
}

/** Boxes with nothing but one line break between them were one. */
function withoutSeams(shown: readonly Shown[]): Shown[] {
  const joined: Shown[] = [];
  shown.forEach((one, at) => {
    const last = joined.at(-1);
    if (last?.style === 'pre' && one.style === 'plain' && one.text === '\n' && shown[at + 1]?.style === 'pre')
      return;
    if (last?.style === 'pre' && one.style === 'pre') {
      if (last.lang !== one.lang) throw new Error('a language is not repeated');
      joined[joined.length - 1] = { ...last, text: last.text + one.text };
    } else joined.push(one);
  });
  return joined;
}

export function readMatrix({ formatted_body }: MatrixMessage): Shown[] {
  return readHtml(formatted_body, { strong: 'strong', code: 'code' }, '<br>');
}

/** The Markdown of a `body`: boxes by their fences, which begin a line. */
export function readMatrixBody({ body }: MatrixMessage): Shown[] {
  const shown: Shown[] = [];
  const outside = (text: string) => {
    if (/(?:^|\n)(?:```|~~~)/.test(text)) throw new Error('a fence by a stranger');
    const literal = text.replace(/(^|\n)\\(?=```|~~~)/g, '$1');
    if (text !== '') shown.push({ style: 'plain', text: literal });
  };
  let rest = body;
  for (;;) {
    const open = /(?:^|(?<=\n))(`{3,})([^\n`]*)\n/.exec(rest);
    if (open === null) break;
    outside(rest.slice(0, open.index));
    const from = open.index + open[0].length;
    const end = new RegExp(`\\n${open[1]}(?!\`)`).exec(rest.slice(from));
    if (end === null) throw new Error('a fence is not closed');
    const text = rest.slice(from, from + end.index);
    if (text.includes(open[1] ?? '')) throw new Error('a fence is no longer than what is inside');
    shown.push({ style: 'pre', text, ...(open[2] === '' ? {} : { lang: open[2] ?? '' }) });
    rest = rest.slice(from + end.index + end[0].length);
  }
  outside(rest);
  return shown;
}

/** Without the indent of boxes, which only the spans tell. */
export function readPlain({ text }: PlainMessage): Shown[] {
  return [{ style: 'plain', text: text.replaceAll('\n    ', '\n') }];
}
