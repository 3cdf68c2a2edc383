import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Request } from 'playwright-core';
import { type Console, openConsole } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, newContext } from './view.ts';

/** With the charts, because the page after the sign-in needs them. */
const scriptBytesMax = 296 * 1024;
const styleBytesMax = 44 * 1024;

let browser: Browser;
let console: Console;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await openConsole(browser);
});

afterAll(async () => {
  await console?.close();
  await closeWindows(browser);
});

/** Settled: the page shows its heading, and no request is under way. */
test.each([
  ['/app/sign-in', { reads: 1, requests: 11 }],
  // An account without requests also reads its models.
  ['/app/overview', { reads: 5, requests: 11 }],
  ['/app/operator/overview', { reads: 4, requests: 11 }],
])('the first load of %s needs few requests and few bytes', async (path, max) => {
  // A new context, which has none of the files in its cache.
  const context = await newContext(browser, {});
  const page = await context.newPage();
  const requests: Request[] = [];
  page.on('requestfinished', (request) => requests.push(request));
  if (path !== '/app/sign-in') await context.addCookies(await console.context.cookies());
  await page.goto(new URL(path, console.page.url()).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const files = requests.filter((request) => ['script', 'stylesheet'].includes(request.resourceType()));
  const addresses = requests.map((request) => new URL(request.url()).pathname);
  const reads = addresses.filter((address) => /^\/(?:auth|account|admin)\//.test(address));
  expect(addresses.length, addresses.join('\n')).toBeLessThanOrEqual(max.requests);
  expect(reads.length, addresses.join('\n')).toBeLessThanOrEqual(max.reads);
  // The index page requests the session early. The scripts must use that reply and not request it again.
  expect(addresses.filter((address) => address === '/auth/session')).toHaveLength(1);
  expect(new Set(addresses.filter((address) => address.startsWith('/assets/'))).size).toBe(files.length);
  const bytesOf = async (kind: string) => {
    const sizes = await Promise.all(
      files.filter((request) => request.resourceType() === kind).map((request) => request.sizes()),
    );
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  };
  expect(await bytesOf('script')).toBeGreaterThan(0);
  expect(await bytesOf('script')).toBeLessThan(scriptBytesMax);
  expect(await bytesOf('stylesheet')).toBeLessThan(styleBytesMax);
  await context.close();
});
