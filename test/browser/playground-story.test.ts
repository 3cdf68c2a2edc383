import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../../src/money/accounts/accounts.ts';
import type { AccountId } from '../../src/money/accounts/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { chunk, finish, gate, json, sse, usage } from '../fakes/fake-provider.ts';
import { type Console, openConsole } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows } from './view.ts';

let browser: Browser;
let console: Console;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await openConsole(browser);
  await console.go('/app/playground?model=thinker', 'Playground');
});

afterAll(async () => {
  await console?.close();
  await closeWindows(browser);
});

const beginning = [chunk({ role: 'assistant', content: '' }), chunk({ reasoning_content: 'Let me think.' })];

describe.each([
  ['Chat', 'chat'],
  ['Responses', 'responses'],
  ['Messages', 'messages'],
])('the playground at a real gateway, over %s', (name, surface) => {
  test('shows an answer while it streams, and the page of the request explains it', async () => {
    const { page, gateway, complaints } = console;
    const half = gate();
    const rest = [chunk({ content: ' the rest.' }), finish('stop'), usage(7, 4), '[DONE]'];
    gateway.provider.respond('thinker', sse([...beginning, chunk({ content: 'One half,' }), half.opened, ...rest]));
    await console.go(`/app/playground?model=thinker&surface=${surface}`, 'Playground');
    await page.getByRole('radio', { name, exact: true }).waitFor({ state: 'attached' });
    await sendMessage('Hello');
    await page.getByText('One half,', { exact: true }).waitFor();
    half.open();
    await page.getByText('One half, the rest.').waitFor();
    await page.getByTitle('0.000015 USD').waitFor();
    await page.getByRole('link', { name: 'View request details' }).click();
    await page.getByText('Timeline').waitFor();
    await page.goBack();
    await page.getByText('One half, the rest.').waitFor();
    await page.goForward();
    await page.getByRole('region', { name: 'Ledger' }).getByTitle('-0.000015 USD').waitFor();
    await page.getByText('Provider 1').first().waitFor();
    await page.getByRole('link', { name: 'View as operator' }).click();
    await page.getByText('fake', { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('a stop aborts the call to the provider', async () => {
    const { page, gateway } = console;
    const never = gate();
    gateway.provider.respond(
      'thinker',
      sse([...beginning, chunk({ content: 'Once upon' }), never.opened, finish('stop')]),
    );
    const { aborted } = gateway.provider.call('thinker', gateway.provider.calls.length);
    await console.go(`/app/playground?model=thinker&surface=${surface}`, 'Playground');
    await sendMessage('Tell me a story');
    await page.getByText('Once upon').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await aborted;
    await page.getByText('You stopped this response.').waitFor();
    await expect.poll(() => page.getByText('Once upon').count()).toBe(1);
    never.open();
  });

  test('a failure shows what happened, and the page of the request what to do', async () => {
    const { page, gateway } = console;
    gateway.provider.respond('thinker', json(400, { error: { message: 'no' } }));
    await console.go(`/app/playground?model=thinker&surface=${surface}`, 'Playground');
    await sendMessage('Hello');
    await page.getByText('No response').waitFor();
    await page.getByRole('link', { name: 'View request details' }).click();
    await page.getByText('How to fix it').waitFor();
    await expect.poll(() => page.getByText('upstream-rejected').count()).toBeGreaterThan(0);
  });
});

describe('an answer that was still streaming when its page was', () => {
  test.each([
    ['reloaded', () => console.page.reload()],
    [
      'left for another',
      async () => {
        await console.page.getByRole('link', { name: 'Keys', exact: true }).click();
        await console.page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
        await console.page.goBack();
      },
    ],
  ])('%s shows that reason, and not that the user stopped it', async (_, leave) => {
    const { page, gateway } = console;
    const never = gate();
    gateway.provider.respond(
      'thinker',
      sse([...beginning, chunk({ content: 'Once upon' }), never.opened, finish('stop')]),
    );
    const { aborted } = gateway.provider.call('thinker', gateway.provider.calls.length);
    await console.go('/app/playground?model=thinker&surface=chat', 'Playground');
    await sendMessage('Tell me a story');
    await page.getByText('Once upon').waitFor();
    await leave();
    await aborted;
    await page.getByText('Once upon').waitFor();
    await page.getByText('You left or reloaded the page before this response was complete.').waitFor();
    expect(await page.getByText('You stopped this response.').count()).toBe(0);
    never.open();
  });
});

test('an answer that ends because its account is suspended shows that reason', async () => {
  const { page, gateway } = console;
  const never = gate();
  gateway.provider.respond(
    'thinker',
    sse([...beginning, chunk({ content: 'Once upon' }), never.opened, finish('stop')]),
  );
  await console.go('/app/playground?model=thinker&surface=chat', 'Playground');
  await sendMessage('Tell me a story');
  await page.getByText('Once upon').waitFor();
  const accountService = accounts(gateway.gateway.store, systemClock);
  const demo = await accountService.find('demo');
  await accountService.suspend(demo?.id as AccountId, { terminateStreams: true });
  await page.getByText('The account was suspended during the request.').waitFor();
  await page.getByText('demo is suspended').waitFor();
  await page.getByRole('link', { name: 'View request details' }).click();
  await page.getByText('Ask the gateway operator to resume it.').waitFor();
  await accountService.resume(demo?.id as AccountId);
  never.open();
});

/** Sends a message in a new conversation. The tab keeps the previous one, even after a reload. */
async function sendMessage(text: string): Promise<void> {
  const anew = console.page.getByRole('button', { name: 'New conversation' });
  if (await anew.isEnabled()) await anew.click();
  await console.page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
  await console.page.keyboard.press('Enter');
}
