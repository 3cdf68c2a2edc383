import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changing, type FakeConsole, fakeConsole, refusal, signedIn, visitor } from './fake-console.ts';
import { operating } from './operating-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView } from './view.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await sharedChromium();
});

afterAll(() => closeWindows(browser));

const times = (console: FakeConsole, wanted: string) => console.calls.filter(({ line }) => line === wanted).length;

test('a page whose session has ended sends no requests until the user signs in, and then continues', async () => {
  const console = await fakeConsole({ ...operating, 'POST /auth/sign-in': { next: 'done' } });
  const { page, close } = await openView(browser, `${console.url}/app/operator/nowhere`, { once: true });
  await page.clock.install();
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByText('all 16 slots are in use').waitFor();
  const refused = refusal(401, 'You are not signed in.', 'not_signed_in');
  let requests = 0;
  await page.route('**/auth/session', (route) => route.fulfill({ json: visitor }));
  await page.route('**/admin/v1/live', (route) => {
    requests += 1;
    return route.fulfill({ status: 401, json: refused });
  });
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await page.clock.runFor(3000);
  await again.waitFor();
  const before = requests;
  await page.clock.runFor(60_000);
  // When this request is answered, all earlier requests have arrived.
  await page.evaluate("fetch('/auth/session')");
  expect(requests).toBe(before);
  await page.unrouteAll();
  await again.getByLabel('Password for ada@example.com').fill('correct horse battery');
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
  await expect.poll(() => times(console, 'GET /admin/v1/live')).toBeGreaterThan(1);
  await close();
  await console.close();
});

test('after another user has signed in, a tab shows nothing of the previous user', async () => {
  const bob = { ...signedIn.user, id: 'usr_2', email: 'bob@example.com', name: 'Bob Cratchit' };
  const accounts = [{ id: 'acc_2', name: 'Globex', role: 'member' as const }];
  const session = changing(signedIn, { ...signedIn, user: bob, accounts });
  const console = await fakeConsole({ ...operating, 'GET /auth/session': session.answer });
  const { page, close } = await openView(browser, `${console.url}/app/settings/profile`);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Countess of Lovelace');
  session.change();
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByRole('definition').getByText('Bob Cratchit').waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByText('Lovelace').count()).toBe(0);
  await close();
  await console.close();
});

test('every part of a visible page is refreshed', async () => {
  const console = await fakeConsole(operating);
  const { page, close } = await openView(browser, `${console.url}/app/operator/nowhere`, { once: true });
  await page.clock.install();
  await page.getByRole('link', { name: 'Upstreams' }).click();
  await page.getByRole('link', { name: 'deepseek' }).click();
  await page.getByRole('heading', { level: 1, name: 'deepseek' }).waitFor();
  for (const part of ['GET /admin/v1/upstreams/deepseek', 'GET /admin/v1/models']) {
    await expect.poll(() => times(console, part)).toBeGreaterThan(0);
    const before = times(console, part);
    await page.clock.runFor(31_000);
    await expect.poll(() => times(console, part)).toBeGreaterThan(before);
  }
  await close();
  await console.close();
});

test('a search whose script cannot be loaded shows an error, and the page stays', async () => {
  const console = await fakeConsole(operating);
  const { page, context, complaints, close } = await openView(browser, `${console.url}/app/settings/profile`);
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  await context.setOffline(true);
  // Without this, the browser would use its cache.
  await page.route('**/assets/**', (route) => route.abort());
  await page.keyboard.press('Control+k');
  await page.getByText('The gateway did not respond.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  expect(complaints.filter((complaint) => !complaint.includes('ERR_'))).toEqual([]);
  await context.setOffline(false);
  await close();
  await console.close();
});
