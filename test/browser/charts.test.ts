import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeConsole, type FakeConsole } from './fake-console.ts';
import { operatorReplies } from './operator-replies.ts';
import { ownerReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView, screens, shot } from './view.ts';

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({ ...operatorReplies, ...ownerReplies });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

const open = (path: string) => openView(browser, `${console.url}/app/${path}`);

/** The middle of a point of a chart with `count` points, a little above its lower edge. */
async function pointAt(chart: Locator, index: number, count: number) {
  const box = await chart.locator('.u-over').boundingBox();
  if (!box) throw new Error('The chart is not drawn.');
  return { x: box.x + ((index + 0.5) * box.width) / count, y: box.y + box.height - 4 };
}

/** How many times the colour of the page ends and another one begins, from left to right just above the zero line. */
function bars(chart: Locator): Promise<number> {
  return chart.evaluate((element) => {
    const canvas = element.querySelector('canvas')!;
    const over = element.querySelector('.u-over')!.getBoundingClientRect();
    const { left, top } = canvas.getBoundingClientRect();
    const ratio = canvas.width / canvas.clientWidth;
    const [x, y] = [over.left - left, over.bottom - top - 4].map((length) => Math.round(length * ratio)) as [
      number,
      number,
    ];
    const pixels = canvas.getContext('2d')?.getImageData(x, y, Math.round(over.width * ratio), 1).data ?? [];
    let count = 0;
    let wasDrawn = false;
    for (let at = 3; at < pixels.length; at += 4) {
      const isDrawn = (pixels[at] ?? 0) > 128;
      if (isDrawn && !wasDrawn) count += 1;
      wasDrawn = isDrawn;
    }
    return count;
  });
}

async function bottomOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox();
  return box ? box.y + box.height : Number.POSITIVE_INFINITY;
}

describe('the overview of an account', () => {
  test('shows spend with its change, balance, key figures and the main chart on the first screen', async () => {
    const { page, close } = await open('overview');
    await page.getByText('Some clients ask for a non-streaming response').waitFor();
    await page.getByText('First steps').waitFor();
    const spend = page.getByRole('group', { name: 'Spend', exact: true });
    await spend.getByText('vs previous 7 days').waitFor();
    expect(await spend.innerText()).toMatch(/\$6\.40\s+↑ 23%/);
    await page.getByRole('group', { name: 'Balance' }).getByText('$12.48').first().waitFor();
    await page.getByRole('group', { name: 'Time to first token' }).getByText(/^p95 /).waitFor();
    const { height } = screens.wide;
    expect(await bottomOf(page.getByRole('img', { name: 'Spend over time' }))).toBeLessThan(height);
    expect(await bottomOf(page.getByRole('group', { name: 'Queue time' }))).toBeLessThan(height);
    await shot(page, 'charts-overview');
    await close();
  });

  test('draws sums as one bar a day, names the day with exact values, and opens its requests', async () => {
    const { page, close } = await open('overview');
    const chart = page.getByRole('img', { name: 'Spend over time' });
    await expect.poll(() => bars(chart)).toBe(7);
    const { x, y } = await pointAt(chart, 2, 7);
    await page.mouse.move(x, y);
    await chart.getByText('Wed, 4 Feb 2026').waitFor();
    await chart.getByText('$0.9138', { exact: true }).waitFor();
    await page.mouse.click(x, y);
    await page.waitForURL('**/app/requests?*');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      range: 'custom',
      since: '2026-02-03T23:00:00.000Z',
      until: '2026-02-04T23:00:00.000Z',
    });
    await close();
  });

  test('offers the same numbers and links as a table', async () => {
    const { page, close } = await open('overview');
    await page.getByRole('button', { name: 'Show as table' }).first().click();
    const table = page.getByRole('region', { name: 'Spend over time' });
    await expect.poll(() => table.getByRole('row').count()).toBe(8);
    await table.getByRole('button', { name: 'Sun, 8 Feb 2026' }).click();
    await page.waitForURL('**/app/requests?*since=2026-02-07T23*');
    await close();
  });

  test('begins at the first data of a new account, and calls its spend new', async () => {
    const overview = ownerReplies['GET /account/v1/overview'];
    const nothing = { spend: '0.00', requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };
    const series = overview.series.map((point, day) => (day < 6 ? { ...point, ...nothing } : point));
    const fresh = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/overview': { ...overview, series, previous: null },
    });
    const { page, close } = await openView(browser, `${fresh.url}/app/overview`);
    await page.getByRole('group', { name: 'Spend', exact: true }).getByText('New').waitFor();
    const chart = page.getByRole('img', { name: 'Spend over time' });
    await expect.poll(() => bars(chart)).toBe(1);
    await page.getByRole('button', { name: 'Show as table' }).first().click();
    const days = page.getByRole('region', { name: 'Spend over time' }).getByRole('rowheader');
    expect(await days.allInnerTexts()).toEqual(
      ['Thu, 5', 'Fri, 6', 'Sat, 7', 'Sun, 8'].map((day) => `${day} Feb 2026`),
    );
    await close();
    await fresh.close();
  });
});

describe('the usage page', () => {
  test('stacks the rows in one bar a day, with their totals, and a click selects the day by hours', async () => {
    const { page, close } = await open('usage');
    const chart = page.getByRole('img', { name: 'Usage over time' });
    await expect.poll(() => bars(chart)).toBe(30);
    const legend = page.getByRole('region', { name: 'Spend' }).getByRole('list').first();
    expect(await legend.innerText()).toMatch(/house\/large\s*\$14\.27/);
    const { x, y } = await pointAt(chart, 4, 30);
    await page.mouse.click(x, y);
    await page.waitForURL('**/app/usage?*');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      range: 'custom',
      since: '2026-01-15',
      until: '2026-01-15',
      interval: 'hour',
    });
    await page.goBack();
    await page.waitForURL(/app\/usage$/);
    await close();
  });
});

describe('while replies and the chart library load', () => {
  test.each(['overview', 'usage', 'operator/overview'])('%s keeps its layout', async (path) => {
    const { page, close } = await openView(browser, 'about:blank', { once: true });
    await page.addInitScript(
      `self.shifts = [];
      new PerformanceObserver((list) => self.shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true });`,
    );
    await page.goto(`${console.url}/app/${path}`);
    await page.locator('.u-over').first().waitFor();
    await page.waitForLoadState('networkidle');
    const shifted = await page.evaluate<number>('self.shifts.reduce((sum, value) => sum + value, 0)');
    expect(shifted).toBeLessThan(0.1);
    await close();
  });
});

describe('performance', () => {
  test('draws no bar for an uptime of 0', async () => {
    const models = ownerReplies['GET /account/v1/models'];
    const [first, ...others] = models.data;
    const performance = first?.performance as Readonly<Record<'day' | 'week' | 'month', object>>;
    const down = { ...first, performance: { ...performance, week: { ...performance.week, uptime: 0 } } };
    const failing = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/models': { ...models, data: [down, ...others] },
    });
    const { page, close } = await openView(browser, `${failing.url}/app/models`);
    const cell = page.getByText('Uptime 0%');
    await cell.waitFor();
    expect(await drawnWidth(page)).toBe(0);
    await close();
    await failing.close();
  });

  async function drawnWidth(page: Page): Promise<number> {
    const bar = page.locator('[aria-hidden] > [data-bad]').first();
    return bar.evaluate((element) => element.getBoundingClientRect().width);
  }
});
