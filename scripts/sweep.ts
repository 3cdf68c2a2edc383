import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { faultsFor } from '../test/browser/accessibility.ts';
import { launchChromium } from '../test/browser/chromium.ts';
import { inviteUser, openConsole, signIn } from '../test/browser/console.ts';
import { newContext, screens, type ViewOptions, applyLook } from '../test/browser/view.ts';
import { chineseFonts } from './sweep-font.ts';
import { everyPart, furnish } from './sweep-furnishing.ts';
import { type Moment, moments, translateTo } from './sweep-moments.ts';
import { shiftFaults, watchShifts } from './sweep-shifts.ts';
import { broken, emptied, states } from './sweep-states.ts';

/**
 * Opens every page of the dashboard of a real gateway on three screens, light and dark, in both languages.
 * No page may be wider than the screen, violate the content security policy, log an error, break the accessibility
 * rules or shift its layout while it loads. Every view becomes a picture, and so do dialogs, the printed page, empty lists and errors. `--only` is a
 * pattern of page names, `--look` a pattern of looks. `--user member` shows the pages of an account to a member who is no operator.
 */
const { values } = parseArgs({
  options: {
    pictures: { type: 'string', default: 'pictures' },
    only: { type: 'string', default: '' },
    look: { type: 'string', default: '' },
    user: { type: 'string', default: 'operator' },
  },
});

type Look = Required<Omit<ViewOptions, 'once'>>;

const schemes = ['light', 'dark'] as const;
/** Looks that need their own browser window. Each is shown in every scheme. */
const windows = (['wide', 'laptop', 'narrow'] as const).flatMap((screen) =>
  (['en', 'zh'] as const).map((language) => ({ screen, language })),
);
/** `--look` is a pattern such as `narrow-dark-zh` or `narrow-.*-zh`; without it, all looks are shown. */
const wantedLook = new RegExp(values.look);
const isWanted = (look: Look) => wantedLook.test(nameOfLook(look));

/** Reads the table of routes as text, because its module runs only in a browser. */
async function paths(): Promise<readonly string[]> {
  const table = await readFile(join(import.meta.dirname, '../dashboard/src/routes.tsx'), 'utf8');
  return [...table.matchAll(/'(\/app\/[^']+)'/g)].map(([, path]) => path ?? '');
}

/** The faults of a view; empty if there are none. */
async function faultsOf(page: Page, pageErrors: readonly string[]): Promise<readonly string[]> {
  // Live pages never stop sending requests. Wait one second for the replies.
  await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => {});
  const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const violations = await faultsFor(page);
  const untranslated = await page
    .locator('body')
    .innerText()
    .then((text) => /(?<!\$)\{\w+\}/.exec(text)?.[0]);
  return [
    ...pageErrors,
    ...(wider > 0 ? [`${wider} pixels wider than the screen`] : []),
    ...(untranslated ? [`a text with the unfilled placeholder ${untranslated}`] : []),
    ...violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes[0]?.html.slice(0, 120)}`),
  ];
}

const fonts = await chineseFonts();
const browser = await launchChromium({ fonts });
const console_ = await openConsole(browser, { change: everyPart });
const named = await furnish(console_);
const isMember = values.user === 'member';
const cookies = isMember ? await memberCookies() : await console_.context.cookies();
const origin = `http://localhost:${console_.gateway.port}`;
await mkdir(values.pictures, { recursive: true });
const pages = (await paths())
  .filter((path) => !isMember || !path.startsWith('/app/operator/'))
  .map((path): Moment => ({ name: nameOf(path), path, reach: heading }));
const inside = pages.filter((each) => !isOutside(each));
// The profile page reads only the session, and without a session there is no page.
const failing = inside.filter(({ name }) => name !== 'settings-profile').map(({ name, path }) => broken(name, path));
const empty = inside.filter(({ path }) => !path.includes('$')).map(({ name, path }) => emptied(name, path));
const wanted = new RegExp(values.only);
const steps = isMember ? [] : [...moments, ...states];
const all = [...pages, ...steps, ...empty, ...failing].filter(({ name }) => wanted.test(name));
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
console.log(wrong === 0 ? `All ${seen} views passed.` : `${wrong} of ${seen} views have faults.`);
process.exitCode = wrong === 0 ? 0 : 1;

async function memberCookies() {
  const member = { email: 'annie@example.com', name: 'Annie Easley', password: 'rockets need batteries' };
  await inviteUser(console_, named.get('/app/operator/accounts/$id') ?? '', member, 'member');
  const { page, context } = await console_.another('/app/sign-in');
  await signIn(page, member);
  await page.waitForURL('**/app/overview');
  return context.cookies();
}

function nameOf(path: string): string {
  return path.slice('/app/'.length).replaceAll('/', '-').replace('$id', 'one');
}

function nameOfLook({ screen, scheme, language }: Look): string {
  return [screen, scheme, language].join('-');
}

function heading(page: Page): Promise<void> {
  return page.getByRole('heading', { level: 1 }).first().waitFor({ timeout: 30_000 });
}

/** Opens a page once and shows it in each scheme, because loading the page takes longer than the check. */
async function look(context: BrowserContext, moment: Moment, looks: readonly Look[]): Promise<void> {
  await context.clearCookies();
  if (!isOutside(moment)) await context.addCookies(cookies);
  const page = await context.newPage();
  const pageErrors = collectErrors(page, moment.isFailing);
  await watchShifts(page);
  page.setDefaultTimeout(30_000);
  await moment.prepare?.(page);
  const [route = ''] = moment.path.split('?');
  await page.goto(origin + moment.path.replace(/\$\w+/, encodeURIComponent(named.get(route) ?? 'none')));
  const [{ language } = { language: 'en' as const }] = looks;
  const stuck = await moment.reach(page, translateTo(language)).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => {});
  const shifts = moment.mayShift ? [] : await shiftFaults(page);
  for (const each of looks) {
    await applyLook(page, each);
    const faults = stuck === undefined ? [...shifts, ...(await faultsOf(page, pageErrors))] : [stuck];
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

/** Collects exceptions and logged errors of the page. */
function collectErrors(page: Page, isFailing = false): readonly string[] {
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('console', (message) => {
    // The browser logs error statuses and a missing network by itself.
    const known = isFailing ? /status of \d\d\d/ : /status of 4\d\d|ERR_INTERNET_DISCONNECTED/;
    if (message.type() === 'error' && !known.test(message.text())) pageErrors.push(message.text());
  });
  return pageErrors;
}

/** Takes a picture of the whole page. A dialog that scrolls gets a larger window. */
async function picture(page: Page, path: string): Promise<void> {
  const size = page.viewportSize() ?? screens.wide;
  const hidden = await page.evaluate<number>(
    "Math.max(0, ...[...document.querySelectorAll('[role=dialog], [role=dialog] *')].map((each) => each.scrollHeight - each.clientHeight))",
  );
  if (hidden > 0) await page.setViewportSize({ ...size, height: size.height + Math.ceil(hidden * 1.25) });
  await page.screenshot({ path, fullPage: true });
  if (hidden > 0) await page.setViewportSize(size);
}
