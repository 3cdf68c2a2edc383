import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { answer as saying } from '../fakes/fake-replies.ts';
import { type Console, openConsole } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, shot } from './view.ts';

let browser: Browser;
let console: Console;

beforeAll(async () => {
  browser = await sharedChromium();
  // Enough for one request at a time: the longest answer costs more than half of it.
  console = await openConsole(browser, { change: (base) => ({ ...base, accounts: accountsWith(base, '0.012') }) });
});

afterAll(async () => {
  await console?.close();
  await closeWindows(browser);
});

/** One user journey in four steps, each within the timeout of a test. Every step needs the previous ones. */
let secret: string;
let requestId: string;
let sendRequest: () => Promise<Response>;

afterEach(() => {
  expect(console.complaints).toEqual([]);
});

test('an owner creates a key and sends the request that the page shows, and the page shows its arrival', async () => {
  const { page } = console;
  await console.go('/app/overview', 'Overview');
  await page.getByText('Send your first request').waitFor();
  await page.getByRole('link', { name: 'Create key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('story');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  secret = await page.getByRole('textbox', { name: 'Secret key' }).inputValue();
  const command = await page.getByRole('dialog').getByRole('code').innerText();
  const address = /curl -N (\S+\/v1\/chat\/completions)/.exec(command)?.[1];
  const [, body] = /-d '([^']*)'/.exec(command) ?? [];
  await shot(page, 'story-key');
  // The secret, which is shown only once, survives an accidental back navigation.
  await page.goBack();
  await expect.poll(() => page.getByRole('textbox', { name: 'Secret key' }).inputValue()).toBe(secret);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Send your first request').waitFor();

  sendRequest = () =>
    fetch(String(address), {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: String(body),
    });
  const answer = await sendRequest();
  expect(answer.status).toBe(200);
  requestId = String(answer.headers.get('x-gateway-request-id'));
  await answer.text();
  // The page that waits for the first request shows it without a reload.
  await page.getByText('Send your first request').waitFor({ state: 'detached' });
  await page.getByText(/^Updated/).waitFor();
  // The console does not warn about the command that it suggests.
  await page.getByText('First steps').waitFor();
  await expect.poll(() => page.getByText('Some clients ask for a non-streaming response').count()).toBe(0);
});

test('the owner finds the request in the ledger, on the overview and in the usage', async () => {
  const { page } = console;
  await eventually(async () => expect(await chargeOf(requestId)).toBeDefined());
  await console.go('/app/billing', 'Billing');
  await page.getByRole('link', { name: requestId }).waitFor();
  await shot(page, 'story-billing');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const table = await text(await (await saved).createReadStream());
  const [charge = ''] = table.split('\r\n').filter((row) => row.includes(requestId));
  const spent = /charge,-([\d.]+),/.exec(charge)?.[1];

  const spend = page.getByRole('group', { name: 'Spend', exact: true });
  await console.go('/app/overview', 'Overview');
  await spend.getByTitle(`${spent} USD`).waitFor();
  await shot(page, 'story-overview');
  await console.go('/app/models', 'Models');
  await shot(page, 'story-models');

  await console.go('/app/usage?by=key&drawn=requests', 'Usage');
  const line = page.getByRole('row').filter({ hasText: 'story' });
  await line.getByTitle(`${spent} USD`).waitFor();
  const usage = await page.evaluate<{ lines: { name: string; requests: number; spend: string }[] }>(
    "fetch('/account/v1/usage/breakdown?by=key').then((reply) => reply.json())",
  );
  expect(usage.lines).toMatchObject([{ name: 'story', requests: 1, spend: spent }]);
  await shot(page, 'story-usage');
  await line.getByRole('link', { name: '1', exact: true }).click();
  await page.waitForURL(/app\/requests\?.*key=key_/);
  await page.locator(`a[href*="${requestId}"]`).first().waitFor();

  await console.go('/app/keys', 'Keys');
  await page.getByTitle(`${spent} USD`).waitFor();
});

test('the owner replaces the key, and tops up an account that ran out with a code', async () => {
  const { page } = console;
  await page.getByRole('button', { name: 'Actions for story' }).click();
  await page.getByRole('menuitem', { name: 'Rotate…' }).click();
  await page.getByRole('button', { name: 'Create new key' }).click();
  const rotated = await page.getByRole('textbox', { name: 'Secret key' }).inputValue();
  expect(rotated).not.toBe(secret);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect((await sendRequest()).status).toBe(200);

  // The account has no money left, and a code of the operator tops it up.
  console.gateway.provider.respond('plain', saying('word '.repeat(4000)));
  await (await sendRequest()).text();
  await eventually(async () => expect((await sendRequest()).status).toBe(402));
  await console.go('/app/operator/codes', 'Codes');
  await page.getByRole('button', { name: 'Create codes' }).first().click();
  await page.getByRole('textbox', { name: 'Note' }).fill('spring fair');
  await page.getByRole('textbox', { name: 'Value per code, in USD' }).fill('5');
  await page.getByRole('button', { name: 'Create batch' }).click();
  const codes = await page.getByRole('dialog').getByRole('textbox', { name: 'Codes', exact: true }).inputValue();
  await shot(page, 'story-codes');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('0 of 10').waitFor();
  const redeem = async (code = '') => {
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code);
    await page.getByRole('button', { name: 'Redeem' }).click();
  };
  const [code = ''] = codes.split('\n');
  await console.go('/app/billing', 'Billing');
  await redeem(code.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
  await page.getByText('The code has a wrong or missing character.').waitFor();
  await redeem(code.toLowerCase());
  await page.getByText('$5.00 added.').waitFor();
  await shot(page, 'story-redeemed');
  await redeem(code);
  await page.getByText('Your account has already redeemed this code').waitFor();
  await eventually(async () => expect((await sendRequest()).status).toBe(200));
  await console.go('/app/operator/codes', 'Codes');
  await page.getByText('1 of 10').waitFor();
  await page.getByRole('link', { name: 'spring fair' }).click();
  await page.getByRole('link', { name: 'demo' }).waitFor();
  await shot(page, 'story-batch');
});

test('requests with a revoked key are refused', async () => {
  const { page } = console;
  await console.go('/app/keys', 'Keys');
  await page
    .getByRole('row')
    .filter({ hasText: `${secret.slice(0, 11)}…${secret.slice(-2)}` })
    .getByRole('button', { name: 'Actions for story' })
    .click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByRole('checkbox', { name: 'Also abort running requests' }).check();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('“story” is revoked').waitFor();
  await eventually(async () => expect((await sendRequest()).status).toBe(401));
});

function accountsWith(base: Record<string, unknown>, credit: string) {
  return (base['accounts'] as readonly object[]).map((account) => ({ ...account, credit }));
}

/** The charge of a request, which is stored shortly after the client has its answer. */
function chargeOf(id: string): Promise<unknown> {
  const { db } = console.gateway.gateway.store;
  return db.selectFrom('transfers').select('reference').where('reference', '=', id).executeTakeFirst();
}
