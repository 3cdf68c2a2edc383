import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../test/browser/chromium.ts';
import { type Console, openConsole } from '../test/browser/console.ts';
import { answer } from '../test/fake-provider.ts';

const folder = join(import.meta.dirname, '../docs/images');

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly heading: string;
  readonly scheme?: 'light' | 'dark';
}

/** What the README shows of the dashboard. */
const pictures: readonly Picture[] = [
  { name: 'overview', path: '/app/overview', heading: 'Overview' },
  { name: 'models', path: '/app/models', heading: 'Models' },
  { name: 'live', path: '/app/operator/live', heading: 'Live', scheme: 'dark' },
];

const browser = await launchChromium();
const dashboard = await openConsole(browser);
await mkdir(folder, { recursive: true });
await haveTraffic(dashboard);
for (const picture of pictures) {
  await take(dashboard, picture);
  console.log(`docs/images/${picture.name}.png`);
}
await dashboard.close();
await browser.close();

/** A page with nothing on it teaches nothing. */
async function haveTraffic({ gateway }: Console): Promise<void> {
  const key = await gateway.newKey({ account: 'demo' });
  for (const model of ['plain', 'thinker', 'other'])
    gateway.provider.respond(model, answer('Hello there, friend. '.repeat(40)));
  const models = ['plain', 'plain', 'thinker', 'plain', 'other', 'plain', 'thinker', 'plain'];
  for (const model of models) await gateway.chat({ model }, { authorization: `Bearer ${key}` });
}

async function take(from: Console, { name, path, heading, scheme = 'light' }: Picture): Promise<void> {
  const { page } = from;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
  await from.go(path, heading);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
