import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.ts';
import { fakeConsole, type FakeConsole, visitor } from './fake-console.ts';
import { expectAccessible, looks, openView, shot } from './view.ts';

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await launchChromium();
  console = await fakeConsole();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await console?.close();
});

describe('the frame', () => {
  test.each(looks)('is accessible and breaks no policy, $scheme and $screen', async (look) => {
    const { page, complaints, close } = await openView(browser, `${console.url}/app/settings/profile`, look);
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await shot(page, `profile-${look.scheme}-${look.screen}`);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  test('sends one who is not signed in to the sign-in page and remembers where they were', async () => {
    const outside = await fakeConsole({ 'GET /auth/session': visitor });
    const { page, close } = await openView(browser, `${outside.url}/app/requests?status=502`);
    await page.waitForURL('**/app/sign-in?next=*');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/app/requests?status=502');
    await close();
    await outside.close();
  });
});
