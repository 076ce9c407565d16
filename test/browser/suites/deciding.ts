/** A question's way from the agent to a person's yes or no, and back. */
import { verifyReceipt } from '@countersign/protocol/e2e';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Stage } from '../kit/stage.js';

const CALL = {
  toolName: 'send_email',
  arguments: { to: 'ann@example.org', subject: 'Invoice 7', body: 'Hello' },
};
const DANGER = {
  toolName: 'run_command',
  arguments: { command: 'rm -rf ./build', cwd: '/home/anna/project' },
  detail: 'x',
  risk: 'high',
} as const;

const open = (page: Page, text: string) => page.getByTestId('card').filter({ hasText: text }).click();

export function deciding(stage: () => Stage): void {
  it('a yes comes back to the agent, is confirmed, leaves the list, and is kept with its receipt', async () => {
    const page = await stage().inbox();
    const asked = await stage().agent().ask(CALL);
    await open(page, 'Invoice 7');
    await page.getByTestId('approve').click();
    expect(await asked.outcome).toMatchObject({
      status: 'approved',
      scope: 'once',
      arguments: CALL.arguments,
    });
    await page.locator('[data-testid=after-answer][data-phase=confirmed]').waitFor();
    await page.getByTestId('to-inbox').click();
    await page.getByTestId('empty-inbox').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export').click()]);
    const { decisions } = JSON.parse(await textOf(await download.createReadStream()));
    const [{ receipt, decision, requestId }] = decisions;
    expect({ decision, requestId }).toEqual({ decision: 'approved', requestId: asked.requestId });
    expect(await verifyReceipt(receipt, Buffer.from(receipt.device, 'hex'))).toBe('ok');
  });

  it('a no carries its reason', async () => {
    const page = await stage().inbox();
    const choices = ['approve', 'reject', 'reject_with_reason'] as const;
    const asked = await stage()
      .agent()
      .ask({ ...CALL, choices });
    await open(page, 'Invoice 7');
    await page.getByTestId('more').click();
    await page.getByRole('button', { name: 'Reject with a reason' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('not on a Friday');
    await page.getByTestId('send-reason').click();
    expect(await asked.outcome).toMatchObject({ status: 'rejected', reason: 'not on a Friday' });
  });

  it('high risk is approved only after its end was in sight, and only by holding', async () => {
    const page = await stage().inbox();
    const blocks = Array.from({ length: 60 }, (_, at) => ({
      type: 'key_value',
      key: `Row ${at}`,
      value: 'x',
    }));
    const asked = await stage()
      .agent()
      .ask({ ...DANGER, summary: 'Delete the build', blocks });
    await open(page, 'Delete the build');
    const approve = page.getByTestId('approve');
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Row 59').scrollIntoViewIfNeeded();
    await page.getByText('Details and raw arguments').scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 5000);
    await page.locator('[data-testid=approve]:not([aria-disabled])').waitFor();
    await approve.click();
    await approve.focus();
    await page.keyboard.down('Enter');
    expect(await asked.outcome).toMatchObject({ status: 'approved' });
    await page.keyboard.up('Enter');
  });

  it('with a lock, the app opens and approves high risk only after the device says who is there', async () => {
    const page = await stage().pairedPage();
    const person = await pretendedAuthenticator(page);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('switch', { name: 'Ask for the device' }).click();
    await page.getByRole('switch', { name: 'Ask for the device', checked: true }).waitFor();
    await page.reload();
    await person.isThere(false);
    await page.getByTestId('unlock').click();
    await page.getByText('The device did not confirm').waitFor();
    await person.isThere(true);
    await page.getByTestId('unlock').click();
    await page.getByRole('link', { name: 'Inbox' }).click();
    const asked = await stage()
      .agent()
      .ask({ ...DANGER, summary: 'Delete the build' });
    await open(page, 'Delete the build');
    await page.locator('[data-testid=approve]:not([aria-disabled])').click();
    expect(await asked.outcome).toMatchObject({ status: 'approved' });
  });

  it('changed arguments are what runs', async () => {
    const page = await stage().inbox();
    const inputSchema = {
      type: 'object',
      properties: { to: { type: 'string', format: 'email' }, subject: { type: 'string', minLength: 3 } },
      required: ['to', 'subject'],
    };
    const asked = await stage()
      .agent()
      .ask({ ...CALL, choices: ['approve', 'edit', 'reject'], inputSchema });
    await open(page, 'Invoice 7');
    await page.getByTestId('more').click();
    await page.getByRole('button', { name: 'Change, then approve' }).click();
    await page.locator('[data-field=subject]').fill('x');
    await page.getByTestId('send-form').click();
    await page.getByText('Too short.').waitFor();
    await page.locator('[data-field=subject]').fill('Invoice 8');
    await page.getByTestId('send-form').click();
    const expected = { ...CALL.arguments, subject: 'Invoice 8' };
    expect(await asked.outcome).toMatchObject({ status: 'approved', modified: true, arguments: expected });
  });

  it('of two phones one is first, and the other is told', async () => {
    const [one, two] = [await stage().inbox(), await stage().pairedPage()];
    const asked = await stage().agent().ask(CALL);
    await open(one, 'Invoice 7');
    await open(two, 'Invoice 7');
    await two.context().setOffline(true);
    await one.getByTestId('approve').click();
    expect(await asked.outcome).toMatchObject({ status: 'approved' });
    await two.getByTestId('reject').click();
    await two.context().setOffline(false);
    const told = two.locator('[data-testid=after-answer][data-phase=refused]');
    await told.waitFor({ timeout: 20_000 });
    expect(await told.textContent()).toContain('Already approved on');
  });

  it('what is withdrawn leaves the list, and who has it open is told', async () => {
    const page = await stage().inbox();
    const asked = await stage().agent().ask(CALL);
    await open(page, 'Invoice 7');
    await page.getByTestId('choices').waitFor();
    await asked.withdraw();
    expect(await asked.outcome).toMatchObject({ status: 'cancelled' });
    await page.getByTestId('ended').waitFor();
    await page.getByTestId('to-inbox').click();
    await page.getByTestId('empty-inbox').waitFor();
  });

  it('an answer given without a network waits, and is sent when there is one', async () => {
    const page = await stage().inbox();
    const asked = await stage().agent().ask(CALL);
    await open(page, 'Invoice 7');
    await page.getByTestId('choices').waitFor();
    await page.context().setOffline(true);
    await page.getByTestId('approve').click();
    await page.locator('[data-testid=after-answer][data-phase=sending]').waitFor();
    await page.context().setOffline(false);
    expect(await asked.outcome).toMatchObject({ status: 'approved' });
    await page.locator('[data-testid=after-answer][data-phase=confirmed]').waitFor();
  });

  it('a question takes a suggested answer', async () => {
    const page = await stage().inbox();
    const question = { question: 'Which branch?', suggestedAnswers: ['main', 'stable'] };
    const asked = await stage().agent().clarify(question);
    await open(page, 'Which branch?');
    await page.getByRole('button', { name: 'stable' }).click();
    expect(await asked.outcome).toMatchObject({ status: 'answered', answer: 'stable' });
  });

  it('a secret reaches the agent and is nowhere in the browser', async () => {
    const page = await stage().inbox();
    const secret = 'open-sesame-4711';
    const asked = await stage()
      .agent()
      .elicit({ serverName: 'vault', message: 'The passphrase', fieldName: 'phrase', sensitive: true });
    await open(page, 'The passphrase');
    const field = page.locator('[data-field=phrase]');
    expect(await field.getAttribute('type')).toBe('password');
    await field.fill(secret);
    await page.getByTestId('send-form').click();
    expect(await asked.outcome).toMatchObject({ action: 'accept', content: { phrase: secret } });
    await page.locator('[data-phase=confirmed]').waitFor();
    expect(await page.evaluate(everythingStored)).not.toContain(secret);
  });
}

/** A fingerprint reader that says what the test tells it (WebAuthn through the DevTools protocol). */
async function pretendedAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    isThere: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** In the page: every record of every database as text, bytes read as text too. */
async function everythingStored(): Promise<string> {
  const wait = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const readable = (_: string, value: unknown) =>
    value instanceof Uint8Array ? new TextDecoder('latin1').decode(value) : value;
  const found: unknown[] = [Object.entries(localStorage), Object.entries(sessionStorage)];
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await wait(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      found.push(await wait(database.transaction(store).objectStore(store).getAll()));
    }
    database.close();
  }
  return JSON.stringify(found, readable);
}
