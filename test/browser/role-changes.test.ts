import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reason } from 'chat-formats/reasons/reason.ts';
import { type FakeConsole, fakeConsole, refusal, signedIn } from './fake-console.ts';
import { operating } from './operating-replies.ts';
import { ownerReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView, shot } from './view.ts';

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({
    ...operating,
    ...ownerReplies,
    'POST /account/v1/keys': refusal(403, reason('read_only_role')),
    'POST /admin/v1/upstreams/moonshot/test': refusal(403, 'Your role does not allow this.'),
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

/** Changes the roles of this user while their page is open. */
async function changeSession(page: Page, changed: object): Promise<void> {
  await page.route('**/auth/session', (route) => route.fulfill({ json: { ...signedIn, ...changed } }));
}

test('a user who becomes a viewer sees a notice at the first refusal, and no controls for changes', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/keys`);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Robot');
  await changeSession(page, { accounts: [{ id: 'acc_1', name: 'Acme', role: 'viewer' }, signedIn.accounts[1]] });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Your role in Acme is now: Viewer').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  await expect.poll(() => page.getByRole('link', { name: 'Audit log', exact: true }).count()).toBe(0);
  await shot(page, 'role-viewer');
  await close();
});

test('a user removed from an account sees a notice when it is not found, and then the next account', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/keys`);
  await page.getByText('Staging server').waitFor();
  await changeSession(page, { accounts: [signedIn.accounts[1]] });
  await page.route('**/account/v1/models**', (route) =>
    route.request().headers()['x-account'] === 'acc_1'
      ? route.fulfill({ status: 404, json: refusal(404, reason('account_not_found'), 'not_found') })
      : route.fallback(),
  );
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await page.getByText('You are no longer a member of Acme').waitFor();
  await page.getByText('house/large').first().waitFor();
  await expect.poll(() => page.getByText('Globex').first().isVisible()).toBe(true);
  await close();
});

test('an operator who becomes read-only sees a notice in Chinese, and no controls for changes', async () => {
  const address = `${console.url}/app/operator/upstreams/moonshot`;
  const { page, close } = await openView(browser, address, { language: 'zh' });
  await page.getByRole('button', { name: '测试' }).waitFor();
  await changeSession(page, { operator: 'read-only' });
  await page.getByRole('button', { name: '测试' }).click();
  await page.getByText('您的运营角色现为：').waitFor();
  await expect.poll(() => page.getByRole('button', { name: '测试' }).count()).toBe(0);
  await close();
});

test('a user who becomes an operator sees a notice on the open page', async () => {
  const { page, close } = await openView(browser, 'about:blank', { once: true });
  await changeSession(page, { operator: null });
  await page.clock.install();
  await page.goto(`${console.url}/app/keys`);
  await page.getByText('Staging server').waitFor();
  expect(await page.getByRole('link', { name: 'Upstreams' }).count()).toBe(0);
  await changeSession(page, { operator: 'owner' });
  await page.clock.runFor(31_000);
  await page.getByText('Your role as an operator is now').waitFor();
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByRole('link', { name: 'Upstreams' }).waitFor();
  await close();
});

test('a user who is no longer an operator sees a notice when they return to the tab', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/moonshot`);
  await page.getByRole('heading', { level: 1, name: 'moonshot' }).waitFor();
  await changeSession(page, { operator: null });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await page.getByText('You are no longer an operator').waitFor();
  await expect.poll(() => page.getByRole('heading', { level: 1, name: 'moonshot' }).count()).toBe(0);
  await close();
});
