/** One way to read a URL that may be none. Must not know which schemes anybody accepts. */

/**
 * The URL (WHATWG URL), or undefined for what is none; never throws. Not by `URL.canParse`: once that is hot, Node 20
 * reads Latin-1 letters as broken UTF-8 and refuses `wss://bücher.example`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
