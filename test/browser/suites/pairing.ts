/** From a link to the inbox. */
import { expect, it } from 'vitest';
import { writeQrVideo } from '../kit/qr-video.js';
import type { Stage } from '../kit/stage.js';

export function pairing(stage: () => Stage): void {
  it('takes the link out of the address before anything else and sends nothing before the tap', async () => {
    const agent = stage().agent();
    const page = await (await stage().phone()).newPage();
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await page.goto(await agent.link());
    await page.getByTestId('pair-review').waitFor();
    expect(page.url()).not.toContain('p=');
    expect(await page.getByTestId('offer-agent').textContent()).toBe('Robot');
    expect(await page.getByTestId('offer-relay').textContent()).toBe(`localhost:${stage().relay.port}`);
    expect(await page.getByTestId('pair-review').textContent()).toContain(
      'Whoever serves it could read and approve',
    );
    expect(sockets).toEqual([]);
  });

  it('shows the code to type, and the inbox once the agent has it', async () => {
    const page = await stage().pairedPage();
    await page.getByTestId('empty-inbox').waitFor();
    expect(await page.getByTestId('agent-state').textContent()).toContain('connected');
    const devices = await stage().agent().devices();
    const newest = devices.toSorted((a, b) => b.pairedAt - a.pairedAt)[0];
    expect(newest).toMatchObject({ platform: 'web', state: 'trusted', verified: true });
  });

  it('reads the link from a code in front of the camera', async () => {
    await stage().agent().link();
    writeQrVideo(stage().cameraFilm, await stage().agent().qr());
    const page = await (await stage().phone({ permissions: ['camera'] })).newPage();
    await page.goto(`${stage().appUrl}#/pair`);
    await page.getByRole('button', { name: 'Scan the code' }).click();
    await page.getByTestId('pair-review').waitFor();
    expect(await page.getByTestId('offer-agent').textContent()).toBe('Robot');
  });

  it('a second tab looks on, and takes over when asked to', async () => {
    const first = await stage().inbox();
    const second = await first.context().newPage();
    await second.goto(stage().appUrl);
    await second.getByText('is open in another tab').waitFor();
    await second.getByRole('button', { name: 'Use here' }).click();
    await first.getByTestId('handed-over').waitFor();
    await second.getByTestId('agent-state').filter({ hasText: 'connected' }).waitFor();
    await first.getByRole('button', { name: 'Use here' }).click();
    await second.getByTestId('handed-over').waitFor();
    await first.getByTestId('agent-state').filter({ hasText: 'connected' }).waitFor();
    await second.close();
  });
}
