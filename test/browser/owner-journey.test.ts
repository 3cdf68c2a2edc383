import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answer, json } from '../fakes/fake-provider.ts';
import { type FakeStripe, fakeStripe } from '../fakes/fake-stripe.ts';
import { makeKey } from '../keys.ts';
import { call, type Console, inviteUser, openConsole } from './console.ts';
import { journeyOn } from './journey.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, shot } from './view.ts';

let browser: Browser;
let console: Console;
let stripe: FakeStripe;

const grace = { email: 'grace@example.com', name: 'Grace Hopper', password: 'compilers are possible' };

beforeAll(async () => {
  browser = await sharedChromium();
  stripe = await fakeStripe(Date.now);
  const { secretKey, webhookSecret, baseUrl } = stripe.settings;
  console = await openConsole(browser, {
    change: (base) => ({
      ...base,
      payments: { stripe: { secret_key: secretKey, webhook_secret: webhookSecret, base_url: baseUrl } },
    }),
  });
  const { data } = await call<{ data: { id: string; name: string }[] }>(console.page, 'GET', '/admin/v1/accounts');
  await inviteUser(console, data.find(({ name }) => name === 'tester')?.id ?? '', grace);
  await sendTraffic();
});

afterAll(async () => {
  await console?.close();
  await stripe?.close();
  await closeWindows(browser);
});

test('an owner runs an account: keys, spend, a failure, a top-up, an alert, a member', async () => {
  const { page, context, complaints } = await console.another('/app/sign-in', { once: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await simulateCheckout(page);
  const { click, fill, press, expectWithin } = journeyOn(page);
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });

  await fill(page.getByLabel('E-mail'), grace.email);
  await fill(page.getByLabel('Password', { exact: true }), grace.password);
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  // The most expensive model of the week is the first of its list.
  const models = page.getByRole('region', { name: 'Top models' }).getByRole('listitem');
  await models.filter({ hasText: 'other' }).waitFor();
  expect(await models.first().innerText()).toContain('other');

  // The failed request of the key `batch`, and why it failed.
  await click(page.getByRole('link', { name: /^Rejected by the provider/ }));
  await click(page.getByRole('row').filter({ hasText: 'batch' }).getByRole('link').first());
  await page.getByText('How to fix it').waitFor();

  // A key with a spend cap.
  await click(link('Keys'));
  await click(page.getByRole('button', { name: 'Create key' }).first());
  await fill(page.getByRole('textbox', { name: 'Name' }), 'laptop');
  await fill(page.getByRole('textbox', { name: 'Spend cap' }), '20');
  await press('Enter');
  await page.getByRole('textbox', { name: 'Secret key' }).waitFor();
  await click(page.getByRole('button', { name: 'Copy and close' }));

  // A key that is no longer used.
  await click(page.getByRole('button', { name: 'Actions for batch' }));
  await click(page.getByRole('menuitem', { name: 'Revoke…' }));
  await click(page.getByRole('button', { name: 'Revoke', exact: true }));
  await page.getByText('“batch” is revoked').waitFor();

  // A top-up, its arrival in the balance, and its line in the ledger.
  await click(link('Billing'));
  await click(page.getByRole('button', { name: 'Pay $25.00' }));
  await click(page.getByRole('button', { name: 'Pay now' }));
  await page.getByText('$25.00').first().waitFor();
  await page.getByRole('row').filter({ hasText: 'Top-up' }).filter({ hasText: '25' }).first().waitFor();
  await shot(page, 'journey-owner-billing');

  await click(link('Budgets and alerts'));
  await fill(page.getByRole('textbox', { name: 'Alert threshold' }), '10');
  await press('Enter');

  await click(link('Members'));
  await click(page.getByRole('button', { name: /Invite/ }).first());
  await fill(page.getByLabel('E-mail'), 'alan@example.com');
  await press('Enter');
  await page.getByLabel(/alan@example.com/).waitFor();
  await click(page.getByRole('button', { name: 'Copy and close' }));
  await page.getByText('alan@example.com').first().waitFor();

  expectWithin(28);
  expect(complaints).toEqual([]);
});

/** A week of requests: the model `other` costs most, and one request of the key `batch` fails. */
async function sendTraffic(): Promise<void> {
  const { gateway } = console;
  const { secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'batch' });
  const headers = { authorization: `Bearer ${secret}` };
  gateway.provider.respond('other', answer('word '.repeat(100)));
  for (let count = 0; count < 3; count += 1) await gateway.chat({ model: 'other' }, headers);
  await gateway.chat({}, headers);
  gateway.provider.respond('thinker', json(400, { error: { message: 'no' } }));
  await gateway.chat({ model: 'thinker' }, headers);
}

/** The payment page of the provider: one button, which pays and returns to the dashboard. */
async function simulateCheckout(page: Page): Promise<void> {
  await page.route('https://checkout.stripe.test/**', async (route) => {
    const [id = '', session] = [...stripe.sessions].at(-1) ?? [];
    const cents = Number(session?.get('line_items[0][price_data][unit_amount]'));
    const object = { client_reference_id: id, payment_status: 'paid', amount_total: cents, currency: 'usd' };
    if (route.request().method() === 'POST') {
      const { body, signature } = stripe.event('checkout.session.completed', { ...object, payment_intent: 'pi_1' });
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      const reply = await fetch(`${console.gateway.url}/payments/stripe`, { method: 'POST', headers, body });
      expect(reply.status).toBe(200);
      return route.fulfill({ status: 303, headers: { location: String(session?.get('success_url')) } });
    }
    return route.fulfill({ contentType: 'text/html', body: '<form method="post"><button>Pay now</button></form>' });
  });
}
