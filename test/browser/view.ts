import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { graveFaultsFor } from './accessibility.ts';

export interface ViewOptions {
  readonly scheme?: 'light' | 'dark';
  readonly screen?: keyof typeof screens;
  readonly language?: 'en' | 'zh';
  /** The page is not reused. For tests that change its scripts or its clock, which stay until it is closed. */
  readonly once?: true;
}

/** A window on the dashboard, with the errors inside it. */
export interface View {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the content security policy, uncaught errors and logged errors of the page. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export const screens = {
  wide: { width: 1360, height: 900 },
  laptop: { width: 1024, height: 768 },
  narrow: { width: 390, height: 844 },
};

/** Opens an address in a free or new window. */
export async function openView(browser: Browser, address: string, options: ViewOptions = {}): Promise<View> {
  const free = freePages(browser, options);
  const page = free.pop() ?? (await newPage(browser, options));
  const context = page.context();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser itself logs every 4xx, such as a refused sign-in. That is no error of the page.
    if (message.type() === 'error' && !/the server responded with a status of 4\d\d/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  await page.goto(address);
  const close = async () => {
    const isAsNew = await resetPage(context, page, options);
    if (isAsNew && !options.once) free.push(page);
    else await context.close();
  };
  return { page, context, complaints, close };
}

/**
 * Opens views of one or more dashboards in one window. It navigates as a link does, so that a dashboard is loaded once
 * and not for every view.
 */
export function walkThrough(browser: Browser, options: ViewOptions = {}): (address: string) => Promise<View> {
  let view: View | undefined;
  return async (address) => {
    const { origin, href } = new URL(address);
    if (view !== undefined && new URL(view.page.url()).origin === origin) {
      // Goes through a missing page first, so that a test cannot mistake the previous view for this one.
      const nowhere = view.page.getByText(noSuchPage[options.language ?? 'en']);
      await goTo(view.page, '/app/nowhere');
      await nowhere.waitFor();
      await goTo(view.page, href.slice(origin.length));
      await nowhere.waitFor({ state: 'detached' });
      return view;
    }
    await view?.close();
    view = await openView(browser, address, options);
    return view;
  };
}

const noSuchPage = { en: 'Page not found', zh: '页面不存在' };

async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** Free pages, by their options. A page that has loaded the dashboard before does not compile it again. */
const unused = new WeakMap<Browser, Map<string, Page[]>>();

function freePages(browser: Browser, options: ViewOptions): Page[] {
  const all = unused.get(browser) ?? new Map<string, Page[]>();
  unused.set(browser, all);
  const name = JSON.stringify([options.scheme, options.screen, options.language]);
  const free = all.get(name) ?? [];
  all.set(name, free);
  return free;
}

/** Closes the windows that a file leaves open. Free windows stay for the next file of the process. */
export async function closeWindows(browser: Browser | undefined): Promise<void> {
  if (browser === undefined) return;
  const free = new Set([...(unused.get(browser)?.values() ?? [])].flat().map((page) => page.context()));
  await Promise.all(
    browser
      .contexts()
      .filter((context) => !free.has(context))
      .map((context) => context.close()),
  );
}

async function newPage(browser: Browser, options: ViewOptions): Promise<Page> {
  const page = await (await newContext(browser, options)).newPage();
  page.setDefaultTimeout(180_000);
  return page;
}

/** A context with this screen, colour scheme and language. */
export function newContext(browser: Browser, options: ViewOptions): Promise<BrowserContext> {
  const { scheme = 'light', screen = 'wide', language = 'en' } = options;
  return browser.newContext({
    viewport: screens[screen],
    colorScheme: scheme,
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    timezoneId: 'Europe/Oslo',
    reducedMotion: 'reduce',
  });
}

/**
 * Removes everything of the previous test from a page, except cached files. The session storage can only be cleared at
 * its own address. Returns false if that address no longer answers.
 */
async function resetPage(context: BrowserContext, page: Page, options: ViewOptions): Promise<boolean> {
  const devtools = await context.newCDPSession(page);
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  for (const each of context.pages()) if (each !== page) await each.close();
  const { origin } = new URL(page.url());
  const isThere = await page.goto(`${origin}/favicon.svg`).catch(() => null);
  if (!isThere) return false;
  await page.evaluate('sessionStorage.clear()');
  await page.goto('about:blank');
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'cookies,local_storage' });
  await devtools.detach();
  await context.clearCookies();
  await context.clearPermissions();
  const { scheme = 'light', screen = 'wide' } = options;
  await page.emulateMedia({ media: null, colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize(screens[screen]);
  return true;
}

/**
 * Checks a page in every look: accessible, not wider than the screen, and without errors. Leaves it in the first look.
 * It does not reload the page for each look, which would take longer than the checks.
 */
export async function expectGoodLooks({ page, complaints }: View, name: string): Promise<void> {
  for (const look of looks) {
    await applyLook(page, look);
    await shot(page, `${name}-${look.scheme}-${look.screen}`);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  }
  // The browser would show its own messages, in its own language.
  expect(await page.locator('form:not([novalidate])').locator(constrained).count()).toBe(0);
  expect(complaints).toEqual([]);
  await applyLook(page, looks[0]);
}

const constrained = '[required], [pattern], [minlength], [type=email], [type=url], [type=number], [type=date]';

/** Changes colour scheme and screen of a page, and waits until the change is complete. */
export async function applyLook(page: Page, { scheme, screen }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize(screens[screen]);
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
  // Waits for colour transitions, whose intermediate colours are not checked. A transition may start after another
  // ends.
  const ending = 'document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)';
  const settled = `Promise.allSettled(${ending}.map(({ finished }) => finished)).then((moved) => moved.length === 0)`;
  while (!(await page.evaluate(settled)));
}

/** Fails if a page has serious or critical accessibility violations. */
export async function expectAccessible(page: Page): Promise<void> {
  const grave = await graveFaultsFor(page);
  const problems = grave.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join('\n  ')}`,
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Writes a screenshot to the folder in `SCREENSHOTS`. Does nothing if it is not set. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

type Look = Required<Pick<ViewOptions, 'scheme' | 'screen'>>;

/** The looks of a page that are checked: two that differ in everything, or all four if screenshots are written. */
const looks: readonly [Look, ...Look[]] = [
  { scheme: 'light', screen: 'wide' },
  { scheme: 'dark', screen: 'narrow' },
  ...(process.env['SCREENSHOTS']
    ? ([
        { scheme: 'dark', screen: 'wide' },
        { scheme: 'light', screen: 'narrow' },
      ] as const)
    : []),
];
