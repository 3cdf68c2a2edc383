import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from '@playwright/test';
import { faultsFor } from '../test/browser/accessibility.ts';
import { launchChromium } from '../test/browser/chromium.ts';
import { openConsole } from '../test/browser/console.ts';
import type { ViewOptions } from '../test/browser/view.ts';
import { everyPart, furnish } from './sweep-furnishing.ts';
import { type Moment, moments, sayIn } from './sweep-moments.ts';

/**
 * Looks at every page of the dashboard of a real gateway in every way it can be seen: wide and on a phone, light and
 * dark, in both languages. Nothing may be wider than the screen, refused by the policy, logged as an error or out of
 * reach for whoever cannot see it. Every view becomes a picture; so do dialogs, the printed page and what is shown where
 * something went wrong.
 */
const { values } = parseArgs({
  options: { pictures: { type: 'string', default: 'pictures' }, only: { type: 'string' }, look: { type: 'string' } },
});

type Look = Required<Omit<ViewOptions, 'once'>>;

/** All of them, or the one that `--look` names, such as `narrow-dark-zh`. */
const looks: readonly Look[] = (['wide', 'narrow'] as const)
  .flatMap((screen) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      (['en', 'zh'] as const).map((language) => ({ screen, scheme, language })),
    ),
  )
  .filter((look) => values.look === undefined || values.look === Object.values(look).join('-'));
const sizes = { wide: { width: 1360, height: 900 }, narrow: { width: 390, height: 844 } };

/** The table of pages, read as text: it is written for a browser. */
async function paths(): Promise<readonly string[]> {
  const table = await readFile(join(import.meta.dirname, '../dashboard/src/routes.tsx'), 'utf8');
  return [...table.matchAll(/path: '(\/app\/[^']+)'/g)].map(([, path]) => path ?? '');
}

/** What is wrong with a view; nothing where all is well. */
async function faultsOf(page: Page, heard: readonly string[]): Promise<readonly string[]> {
  // Pages that watch never stop asking: what came within a second is what is looked at.
  await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => {});
  const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const violations = await faultsFor(page);
  const untranslated = await page
    .locator('body')
    .innerText()
    .then((text) => /(?<!\$)\{\w+\}/.exec(text)?.[0]);
  return [
    ...heard,
    ...(wider > 0 ? [`${wider} pixels wider than the screen`] : []),
    ...(untranslated ? [`a text with ${untranslated} in it`] : []),
    ...violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes[0]?.html.slice(0, 120)}`),
  ];
}

const browser = await launchChromium();
const console_ = await openConsole(browser, { change: everyPart });
const named = await furnish(console_);
const cookies = await console_.context.cookies();
const origin = `http://localhost:${console_.gateway.port}`;
await mkdir(values.pictures, { recursive: true });
const pages = (await paths()).map((path): Moment => ({ name: nameOf(path), path, reach: heading }));
const all = [...pages, ...moments].filter(({ name, path }) => {
  const { only } = values;
  return only === undefined || path.includes(only) || name.includes(only);
});
let seen = 0;
let wrong = 0;
for (const look of looks) {
  const context = await contextOf(look);
  for (const moment of all) {
    const faults = await view(context, moment, look);
    seen += 1;
    if (faults.length > 0) wrong += 1;
    for (const fault of faults) console.log(`${moment.name} ${Object.values(look).join(' ')}: ${fault}`);
  }
  await context.close();
  console.log(`${seen} of ${all.length * looks.length} views`);
}
await console_.close();
await browser.close();
console.log(wrong === 0 ? `All ${seen} views are well.` : `${wrong} of ${seen} views have faults.`);
process.exitCode = wrong === 0 ? 0 : 1;

function contextOf({ screen, scheme, language }: Look): Promise<BrowserContext> {
  return browser.newContext({
    viewport: sizes[screen],
    colorScheme: scheme,
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    timezoneId: 'Europe/Oslo',
    reducedMotion: 'reduce',
  });
}

function nameOf(path: string): string {
  return path.slice('/app/'.length).replaceAll('/', '-').replace('$id', 'one');
}

function heading(page: Page): Promise<void> {
  return page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: 30_000 });
}

async function view(context: BrowserContext, { name, path, reach }: Moment, look: Look): Promise<readonly string[]> {
  const isOutside = /sign-in|sign-up|setup|invite|reset/.test(path);
  await context.clearCookies();
  if (!isOutside) await context.addCookies(cookies);
  const page = await context.newPage();
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('console', (message) => {
    // What the gateway refuses, and what no network carries, the browser logs by itself.
    if (message.type() === 'error' && !/status of 4\d\d|ERR_INTERNET_DISCONNECTED/.test(message.text()))
      heard.push(message.text());
  });
  page.setDefaultTimeout(30_000);
  const [place = ''] = path.split('?');
  await page.goto(origin + path.replace(/\$\w+/, encodeURIComponent(named.get(place) ?? 'none')));
  const faults = await reach(page, sayIn(look.language))
    .then(() => faultsOf(page, heard))
    .catch((error: unknown) => [String(error)]);
  const file = [name, ...Object.values(look)].join('-');
  await page.screenshot({ path: join(values.pictures, `${file}.png`), fullPage: true });
  await context.setOffline(false);
  await page.close();
  return faults;
}
