import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Request } from 'playwright-core';
import { type Console, openConsole } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, newContext } from './view.ts';

/** The page itself, scripts and styles. */
const filesMax = 12;
const scriptBytesMax = 256 * 1024;
/** With the chart library. */
const chartScriptBytesMax = 280 * 1024;
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
  ['/app/sign-in', 1],
  ['/app/overview', 7],
  ['/app/operator/overview', 7],
])('the first load of %s needs few files and few bytes', async (path, readsMax) => {
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
  expect(addresses.length - reads.length, addresses.join('\n')).toBeLessThan(filesMax);
  expect(reads.length, addresses.join('\n')).toBeLessThanOrEqual(readsMax);
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
  expect(await bytesOf('script')).toBeLessThan(
    path === '/app/operator/overview' ? chartScriptBytesMax : scriptBytesMax,
  );
  expect(await bytesOf('stylesheet')).toBeLessThan(styleBytesMax);
  await context.close();
});
