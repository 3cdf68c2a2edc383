import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeConsole, fakeConsole } from './fake-console.ts';
import { operating } from './operating-replies.ts';
import { operatorReplies } from './operator-replies.ts';
import { ownerReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView } from './view.ts';

const empty = { data: [], next: null };

/** The page of a list, the API path of its rows, and the button that adds one. */
const lists = [
  ['/app/keys', 'GET /account/v1/keys', 'Create key'],
  ['/app/operator/accounts', 'GET /admin/v1/accounts', 'New account'],
  ['/app/operator/organisations', 'GET /admin/v1/organisations', 'New organisation'],
  ['/app/operator/codes', 'GET /admin/v1/code-batches', 'Create codes'],
  ['/app/operator/models', 'GET /admin/v1/models', 'Add a model'],
  ['/app/operator/upstreams', 'GET /admin/v1/upstreams', 'Add an upstream'],
  ['/app/operator/people/tokens', 'GET /admin/v1/tokens', 'New token'],
] as const;

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  const none = Object.fromEntries(lists.map(([, line]) => [line, empty]));
  console = await fakeConsole({ ...ownerReplies, ...operating, ...operatorReplies, ...none });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

test.each(lists)('%s shows its button once while the list is empty', async (path, _, name) => {
  const { page, close } = await openView(browser, console.url + path);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  const main = page.getByRole('main');
  const button = main.getByRole('button', { name }).or(main.getByRole('link', { name }));
  await expect.poll(() => button.count()).toBe(1);
  await close();
});

test('a search without a match says so, and keeps the button in the header', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/keys?q=nothing`);
  await page.getByRole('heading', { name: 'No matching keys' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(1);
  await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  await close();
});
