import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type FakeSmtp, fakeSmtp } from '../fakes/fake-smtp.ts';
import { call, type Console, openConsole } from './console.ts';
import { journeyOn } from './journey.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, shot } from './view.ts';

let browser: Browser;
let console: Console;
let mail: FakeSmtp;

beforeAll(async () => {
  browser = await sharedChromium();
  mail = await fakeSmtp();
  console = await openConsole(browser, {
    change: (base) => ({
      ...base,
      sites: [{ name: 'main', domains: ['localhost'], models: ['*'], sign_up: true }],
      mail: {
        host: '127.0.0.1',
        port: mail.port,
        security: 'none',
        from: 'gateway@example.com',
        url: 'http://localhost',
      },
    }),
  });
});

afterAll(async () => {
  await console?.close();
  mail?.close();
  await closeWindows(browser);
});

test('a new user gets from the sign-up link to an explained request', async () => {
  const code = await welcomeCode();
  const { page, context, complaints } = await console.another('/app/sign-up', { once: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { click, fill, press, open, expectWithin } = journeyOn(page);
  const password = 'a long way from home';

  await fill(page.getByLabel('E-mail'), 'grace@example.com');
  await fill(page.getByLabel('Your name'), 'Grace Hopper');
  await fill(page.getByLabel('Choose a password'), password);
  await press('Enter');
  await open(await linkInEmail('grace@example.com'), 'the e-mail');
  await fill(page.getByLabel('Password', { exact: true }), password);
  await press('Enter');

  // A new account has no credit. The user has a code.
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await click(page.getByRole('link', { name: 'See billing' }).first());
  await fill(page.getByRole('textbox', { name: 'Code', exact: true }), code);
  await press('Enter');
  await page.getByText('$5.00 added.').waitFor();
  await shot(page, 'journey-new-user-redeemed');

  // The form suggests a name. The dialog of the new key sends a request, and leads to its page.
  await click(page.getByRole('link', { name: 'Create key' }));
  const name = page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus'));
  await expect.poll(() => name.inputValue()).toBe('My first key');
  await press('Enter');
  const secret = await page.getByRole('textbox', { name: 'Secret key' }).inputValue();
  await click(page.getByRole('button', { name: 'Send a test request' }));
  await page.getByText('The key works.').waitFor();
  await shot(page, 'journey-new-user-key');
  await click(page.getByRole('button', { name: 'Copy key and view the request' }));

  await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
  await page.getByText('Timeline').waitFor();
  await page
    .getByRole('region', { name: 'Ledger' })
    .getByTitle(/^-0\.0000\d+ USD$/)
    .first()
    .waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await shot(page, 'journey-new-user');
  expectWithin(15);
  expect(complaints).toEqual([]);
});

/** A code that the operator sold to the new user. */
async function welcomeCode(): Promise<string> {
  const batch = { note: 'welcome', amount: '5', count: 1, kind: 'top_up' };
  const { codes } = await call<{ codes: string[] }>(console.page, 'POST', '/admin/v1/code-batches', batch);
  return String(codes[0]);
}

async function linkInEmail(to: string): Promise<string> {
  const email = await eventually(() => {
    const found = mail.emails.find((each) => each.to.some((address) => address.includes(to)));
    expect(found).toBeDefined();
    return found;
  });
  const plain = String(email?.text).replaceAll('=\n', '').replaceAll('=3D', '=');
  const path = /https?:\/\/[^/\s]+(\/app\/confirm\?\S+)/.exec(plain)?.[1];
  return `http://localhost:${console.gateway.port}${path}`;
}
