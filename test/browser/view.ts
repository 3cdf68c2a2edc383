import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { expect } from 'vitest';
import { graveFaultsFor } from './accessibility.ts';

export interface ViewOptions {
  readonly scheme?: 'light' | 'dark';
  readonly screen?: 'wide' | 'narrow';
  readonly language?: 'en' | 'zh';
  /** For who changes the page's own scripts or clock, which stay as long as it does: nobody gets it afterwards. */
  readonly once?: true;
}

/** A window of its own on the dashboard, with what went wrong inside it. */
export interface View {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the content security policy refused, errors the page threw, and what it logged as one. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** How large a screen is. */
export const screens = { wide: { width: 1360, height: 900 }, narrow: { width: 390, height: 844 } };

/** Opens an address; `url` is of the gateway, `path` of the view. */
export async function openView(browser: Browser, address: string, options: ViewOptions = {}): Promise<View> {
  const free = freePages(browser, options);
  const page = free.pop() ?? (await newPage(browser, options));
  const context = page.context();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refused sign-in is logged by the browser itself; it is no fault of the page.
    if (message.type() === 'error' && !/the server responded with a status of 4\d\d/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  await page.goto(address);
  const close = async () => {
    const isAsNew = await forget(context, page, options);
    if (isAsNew && !options.once) free.push(page);
    else await context.close();
  };
  return { page, context, complaints, close };
}

/**
 * A walk through views of one or more dashboards in one window: each is gone to as by a link, so that a dashboard is
 * loaded once and not for every view of it.
 */
export function walkThrough(browser: Browser, options: ViewOptions = {}): (address: string) => Promise<View> {
  let view: View | undefined;
  return async (address) => {
    const { origin, href } = new URL(address);
    if (view !== undefined && new URL(view.page.url()).origin === origin) {
      // By way of nowhere, so that nothing of the view before can be taken for this one.
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

/** Pages that nobody looks through, by their options. One that has loaded the dashboard before need not compile it again. */
const unused = new WeakMap<Browser, Map<string, Page[]>>();

function freePages(browser: Browser, options: ViewOptions): Page[] {
  const all = unused.get(browser) ?? new Map<string, Page[]>();
  unused.set(browser, all);
  const name = JSON.stringify([options.scheme, options.screen, options.language]);
  const free = all.get(name) ?? [];
  all.set(name, free);
  return free;
}

/** Closes what a file leaves open. Windows that nobody looks through are for the next file of the process. */
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

/** A window as somebody with such a screen and such a language has it. */
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
 * Whoever comes next finds nothing of whoever was there, but for the files of the dashboard. What the tab itself keeps can
 * only be taken from it while it is at that address; false where nobody answers there any more.
 */
async function forget(context: BrowserContext, page: Page, options: ViewOptions): Promise<boolean> {
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
 * Holds what a page shows against every look, and leaves it in the first: within reach of everybody, nothing wider than
 * the screen, nothing thrown or refused. To load it anew for each look would take longer than the looking.
 */
export async function expectGoodLooks({ page, complaints }: View, name: string): Promise<void> {
  for (const look of looks) {
    await wear(page, look);
    await shot(page, `${name}-${look.scheme}-${look.screen}`);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  }
  expect(complaints).toEqual([]);
  await wear(page, looks[0]);
}

/** Changes how a page is seen, and waits until it has changed. */
export async function wear(page: Page, { scheme, screen }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize(screens[screen]);
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
  // Colours that are still on their way from one to the other are nobody's; one may set out when another has arrived.
  const ending = 'document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)';
  const settled = `Promise.allSettled(${ending}.map(({ finished }) => finished)).then((moved) => moved.length === 0)`;
  while (!(await page.evaluate(settled)));
}

/** Holds a page against the rules of accessibility; what is serious or critical fails. */
export async function expectAccessible(page: Page): Promise<void> {
  const grave = await graveFaultsFor(page);
  const told = grave.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join('\n  ')}`);
  if (told.length > 0) throw new Error(told.join('\n'));
}

/** Pictures go to the folder that `SCREENSHOTS` names; without it none are made. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

type Look = Required<Pick<ViewOptions, 'scheme' | 'screen'>>;

/** The looks a page is held against: two that differ in everything, and all four when pictures are asked for. */
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
