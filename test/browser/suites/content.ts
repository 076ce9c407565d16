/** What is shown: every value type, secrets, and content that means harm. */
import { expect, it } from 'vitest';
import type { Stage } from '../kit/stage.js';

const SECRET = 'sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c';
const HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';

export const EVERY_TYPE = [
  { type: 'key_value', key: 'String', value: 'plain', value_type: 'string' },
  { type: 'field', label: 'Email', value: 'ann@example.org', value_type: 'email' },
  { type: 'field', label: 'Address', value: 'https://example.org/a?b=c', value_type: 'url' },
  { type: 'field', label: 'Path', value: '/home/anna/file.ts', value_type: 'path' },
  { type: 'key_value', key: 'Number', value: '12345.50', value_type: 'number' },
  { type: 'key_value', key: 'Boolean', value: 'true', value_type: 'boolean' },
  { type: 'key_value', key: 'When', value: '2026-12-24T18:00:00+01:00', value_type: 'datetime' },
  { type: 'key_value', key: 'Key', value: SECRET, value_type: 'secret' },
  { type: 'block', label: 'Text', value: 'one\ntwo', value_type: 'text' },
  {
    type: 'block',
    label: 'Markdown',
    value: `# Head\n\n*word* [link](https://example.org)\n\n${HOSTILE}`,
    value_type: 'markdown',
  },
  { type: 'block', label: 'Code', value: 'const a = 1;', value_type: 'code', lang: 'ts' },
  { type: 'block', label: 'Diff', value: '= same\n- old word\n+ new word', value_type: 'diff' },
  { type: 'block', label: 'Command', value: 'npm ci && npm test', value_type: 'command' },
  {
    type: 'block',
    label: 'JSON',
    value: `{"big":12345678901234567890,"key":"${SECRET}"}`,
    value_type: 'json',
  },
];

export function content(stage: () => Stage): void {
  it('every value type is shown by type, and secrets only while they are held', async () => {
    const page = await stage().inbox();
    const call = {
      toolName: 'anything',
      summary: 'Every type',
      blocks: EVERY_TYPE,
      arguments: { token: SECRET },
    };
    await stage().agent().ask(call);
    await page.getByTestId('card').filter({ hasText: 'Every type' }).click();
    await page.locator('.markdown em').waitFor();
    await page.locator('.hljs-keyword').waitFor();
    await page.locator('.diff-line mark').first().waitFor();
    const all = await page.locator('.item').textContent();
    expect(all).toContain('12345678901234567890');
    expect(all).toContain('Thursday');
    expect(all).not.toContain(SECRET);
    const [first] = await page.locator('.value-secret').all();
    await first?.hover();
    await page.mouse.down();
    expect(await first?.textContent()).toContain(SECRET);
    await page.mouse.up();
    expect(await first?.textContent()).not.toContain(SECRET);
  });

  it('markup stays text, hidden characters are seen, links show where they lead before they open', async () => {
    const page = await stage().inbox();
    const blocks = [
      ...['string', 'text', 'markdown', 'code', 'diff', 'command', 'path', 'json', 'email', 'url'].map(
        (value_type) => ({ type: 'block', label: HOSTILE, value: HOSTILE, value_type }),
      ),
      { type: 'field', label: 'Bidi', value: 'abc\u202Efdp.exe', value_type: 'string' },
      { type: 'field', label: 'Script', value: 'javascript:window.hit=1', value_type: 'url' },
      { type: 'field', label: 'Host', value: 'https://good.example@evil.example/', value_type: 'url' },
    ];
    await stage().agent().ask({ toolName: HOSTILE, summary: HOSTILE, blocks, detail: HOSTILE });
    await page.getByTestId('card').filter({ hasText: 'script' }).click();
    await page.locator('.markdown').waitFor();
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('.item img, .item script').count()).toBe(0);
    expect(await page.getByText('abc⟨U+202E⟩fdp.exe').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'javascript:' }).count()).toBe(0);
    await page.getByRole('button', { name: 'good.example@evil.example' }).click();
    expect(await page.locator('.link-host').textContent()).toBe('evil.example');
    expect(page.context().pages()).toHaveLength(1);
  });

  it('the largest value that can be sent is shown whole', async () => {
    const page = await stage().inbox();
    // What fits into one live message.
    const value = `${'a line of some length, again and again\n'.repeat(11_000)}the very end`;
    await stage()
      .agent()
      .ask({
        toolName: 'big',
        summary: 'Big',
        blocks: [{ type: 'block', label: 'Text', value, value_type: 'code' }],
      });
    await page.getByTestId('card').filter({ hasText: 'Big' }).click();
    await page.getByText('the very end').waitFor();
  });
}
