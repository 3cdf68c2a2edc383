import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../test/browser/chromium.ts';
import { fakeConsole } from '../test/browser/fake-console.ts';
import { operating } from '../test/browser/operating-replies.ts';
import { ownerReplies } from '../test/browser/owner-replies.ts';
import { requestDetail } from '../test/browser/request-replies.ts';
import { openView } from '../test/browser/view.ts';

const folder = join(import.meta.dirname, '../docs/images');

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly scheme?: 'light' | 'dark';
}

/** The pictures of the dashboard in the README. */
const pictures: readonly Picture[] = [
  { name: 'overview', path: '/app/overview' },
  { name: 'request', path: `/app/requests/${requestDetail.id}` },
  { name: 'live', path: '/app/operator/live', scheme: 'dark' },
];

const browser = await launchChromium();
// Sample data, because a new gateway has nothing to show.
const sample = await fakeConsole({
  ...operating,
  ...ownerReplies,
  [`GET /account/v1/requests/${requestDetail.id}`]: requestDetail,
});
await mkdir(folder, { recursive: true });
for (const picture of pictures) await take(browser, sample.url, picture);
await sample.close();
await browser.close();

async function take(from: Browser, url: string, { name, path, scheme = 'light' }: Picture): Promise<void> {
  const view = await openView(from, url + path, { scheme });
  const { page } = view;
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Live pages never stop sending requests. Wait a fixed time instead.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await view.close();
  console.log(`docs/images/${name}.png`);
}
