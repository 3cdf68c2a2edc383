import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from '@playwright/test';
import { faultsFor } from '../test/browser/accessibility.ts';
import { launchChromium } from '../test/browser/chromium.ts';
import { openConsole } from '../test/browser/console.ts';
import { newContext, screens, type ViewOptions, wear } from '../test/browser/view.ts';
import { chineseFonts } from './sweep-font.ts';
import { everyPart, furnish } from './sweep-furnishing.ts';
import { type Moment, moments, sayIn } from './sweep-moments.ts';
import { broken, emptied, states } from './sweep-states.ts';

/**
 * Looks at every page of the dashboard of a real gateway in every way it can be seen: wide and on a phone, light and
 * dark, in both languages. Nothing may be wider than the screen, refused by the policy, logged as an error or out of
 * reach for whoever cannot see it. Every view becomes a picture; so do dialogs, the printed page, lists with nothing in
 * them and what is shown where something went wrong. `--only` takes a pattern of their names, `--look` one of the ways of looking.
 */
const { values } = parseArgs({
  options: {
    pictures: { type: 'string', default: 'pictures' },
    only: { type: 'string', default: '' },
    look: { type: 'string', default: '' },
  },
});

type Look = Required<Omit<ViewOptions, 'once'>>;

const schemes = ['light', 'dark'] as const;
/** The looks that need a window of their own; each is seen in every scheme. */
const windows = (['wide', 'narrow'] as const).flatMap((screen) =>
  (['en', 'zh'] as const).map((language) => ({ screen, language })),
);
/** All of them, or those that `--look` names by a pattern, such as `narrow-dark-zh` or `narrow-.*-zh`. */
const wantedLook = new RegExp(values.look);
const isWanted = (look: Look) => wantedLook.test(nameOfLook(look));

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

const fonts = await chineseFonts();
const browser = await launchChromium({ fonts });
const console_ = await openConsole(browser, { change: everyPart });
const named = await furnish(console_);
const cookies = await console_.context.cookies();
const origin = `http://localhost:${console_.gateway.port}`;
await mkdir(values.pictures, { recursive: true });
const pages = (await paths()).map((path): Moment => ({ name: nameOf(path), path, reach: heading }));
const inside = pages.filter((each) => !isOutside(each));
// One's own profile is read from the session alone, without which there is no page.
const failing = inside.filter(({ name }) => name !== 'settings-profile').map(({ name, path }) => broken(name, path));
const empty = inside.filter(({ path }) => !path.includes('$')).map(({ name, path }) => emptied(name, path));
const wanted = new RegExp(values.only);
const all = [...pages, ...moments, ...states, ...empty, ...failing].filter(({ name }) => wanted.test(name));
let seen = 0;
let wrong = 0;
for (const { screen, language } of windows) {
  const wished = schemes.map((scheme) => ({ screen, scheme, language })).filter(isWanted);
  if (wished.length === 0) continue;
  const context = await newContext(browser, { screen, language });
  for (const moment of all) await look(context, moment, wished);
  await context.close();
  console.log(`${seen} views of ${screen} ${language}`);
}
await console_.close();
await browser.close();
await rm(fonts, { recursive: true });
console.log(wrong === 0 ? `All ${seen} views are well.` : `${wrong} of ${seen} views have faults.`);
process.exitCode = wrong === 0 ? 0 : 1;

function nameOf(path: string): string {
  return path.slice('/app/'.length).replaceAll('/', '-').replace('$id', 'one');
}

function nameOfLook({ screen, scheme, language }: Look): string {
  return [screen, scheme, language].join('-');
}

function heading(page: Page): Promise<void> {
  return page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: 30_000 });
}

/** Brings a page to a moment once and looks at it in each scheme: to load it again would take longer than the looking. */
async function look(context: BrowserContext, moment: Moment, looks: readonly Look[]): Promise<void> {
  await context.clearCookies();
  if (!isOutside(moment)) await context.addCookies(cookies);
  const page = await context.newPage();
  const heard = listen(page, moment.isFailing);
  page.setDefaultTimeout(30_000);
  await moment.prepare?.(page);
  const [place = ''] = moment.path.split('?');
  await page.goto(origin + moment.path.replace(/\$\w+/, encodeURIComponent(named.get(place) ?? 'none')));
  const [{ language } = { language: 'en' as const }] = looks;
  const stuck = await moment.reach(page, sayIn(language)).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  for (const each of looks) {
    await wear(page, each);
    const faults = stuck === undefined ? await faultsOf(page, heard) : [stuck];
    await picture(page, join(values.pictures, `${moment.name}-${nameOfLook(each)}.png`));
    seen += 1;
    if (faults.length > 0) wrong += 1;
    for (const fault of faults) console.log(`${moment.name} ${nameOfLook(each)}: ${fault}`);
  }
  await context.setOffline(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
}

function isOutside({ path }: Moment): boolean {
  return /^\/app\/(?:sign-in|sign-up|setup|invite|reset|confirm)\b/.test(path);
}

/** What the page throws and logs as an error. */
function listen(page: Page, isFailing = false): readonly string[] {
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('console', (message) => {
    // What the gateway refuses, and what no network carries, the browser logs by itself.
    const known = isFailing ? /status of \d\d\d/ : /status of 4\d\d|ERR_INTERNET_DISCONNECTED/;
    if (message.type() === 'error' && !known.test(message.text())) heard.push(message.text());
  });
  return heard;
}

/** The whole page; a dialog that scrolls is given the room it wants. */
async function picture(page: Page, path: string): Promise<void> {
  const size = page.viewportSize() ?? screens.wide;
  const hidden = await page.evaluate<number>(
    "Math.max(0, ...[...document.querySelectorAll('[role=dialog], [role=dialog] *')].map((each) => each.scrollHeight - each.clientHeight))",
  );
  if (hidden > 0) await page.setViewportSize({ ...size, height: size.height + Math.ceil(hidden * 1.25) });
  await page.screenshot({ path, fullPage: true });
  if (hidden > 0) await page.setViewportSize(size);
}
