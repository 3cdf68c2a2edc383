import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Request } from 'playwright-core';
import { type Console, openConsole } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, newContext } from './view.ts';

const scriptBytesMax = 256 * 1024;

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

test.each(['/app/sign-in', '/app/overview'])(
  'the first load of %s needs less than 256 KiB of scripts',
  async (path) => {
    // A new context, which has none of the files in its cache.
    const context = await newContext(browser, {});
    const page = await context.newPage();
    const scripts: Request[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') scripts.push(request);
    });
    if (path === '/app/overview') await context.addCookies(await console.context.cookies());
    await page.goto(new URL(path, console.page.url()).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const sizes = await Promise.all(scripts.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(scriptBytesMax);
    await context.close();
  },
);
