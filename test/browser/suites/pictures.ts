/** What screens look like, against pictures that a person has looked at. */
import { it } from 'vitest';
import { compare, steady } from '../kit/pictures.js';
import { PHONE, type Stage, TABLET } from '../kit/stage.js';
import { EVERY_TYPE } from './content.js';

/** So tall that everything is in sight: what is not, browsers leave out. */
const TALL = 2_400;
const SIZES = { phone: PHONE.width, tablet: TABLET.width } as const;

export function pictures(stage: () => Stage): void {
  it.each(['light', 'dark'] as const)(
    'every block type and the inbox look as they did, %s',
    async (colorScheme) => {
      const page = await stage().inbox();
      await steady(page);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const ask = { toolName: 'x', summary: 'Every type of block', blocks: EVERY_TYPE, arguments: {} };
      await stage().agent().ask(ask);
      await stage().agent().ask({ toolName: 'y', summary: 'Delete the build', arguments: {}, risk: 'high' });
      await page.getByTestId('card').nth(1).waitFor();
      for (const [size, width] of Object.entries(SIZES)) {
        await page.setViewportSize({ width, height: TALL });
        await page.goto(`${stage().appUrl}#/inbox`);
        await page.reload();
        await page.getByTestId('card').nth(1).waitFor();
        await compare(page, page.locator('.cards'), `inbox-${size}-${colorScheme}`);
        await page.getByTestId('card').filter({ hasText: 'Every type' }).click();
        for (const late of ['.markdown em', '.hljs-keyword', '.diff-line mark'])
          await page.locator(late).first().waitFor();
        await compare(page, page.locator('.item'), `blocks-${size}-${colorScheme}`);
      }
      await page.unrouteAll();
    },
  );
}
