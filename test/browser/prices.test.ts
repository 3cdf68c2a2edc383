import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decimalText, nanoFrom } from '../../src/core/money.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import { type FakeConsole, fakeConsole, refusal } from './fake-console.ts';
import { large, operating } from './operating-replies.ts';
import { operatorReplies } from './operator-replies.ts';
import { ownerReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectAccessible, openView, shot } from './view.ts';

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({ ...ownerReplies, ...operating, ...operatorReplies });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

const open = (path: string, at: FakeConsole = console) => openView(browser, `${at.url}/app/${path}`);

/** The body of the last request with this method and path. */
function sentTo(line: string): unknown {
  return console.calls.findLast((each) => each.line === line)?.body;
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

describe('the price schedule of a model', () => {
  const edit = 'operator/models/acme%2Flarge?edit=1';

  test('an operator edits tiers and other prices, and the page sends the whole schedule', async () => {
    const { page, complaints, close } = await open(edit);
    const tier = (place: number) => page.getByRole('group', { name: `Tier ${place}` });
    await page.getByRole('button', { name: 'Add batch at half price' }).click();
    await page.getByRole('button', { name: 'Move Tier 3 up' }).click();
    await expect.poll(() => field(page, 'Factor').first().inputValue()).toBe('0.5');
    await tier(3).getByLabel('Factor').fill('2.5');
    await tier(3).getByLabel('Region').fill('us');
    await tier(1).getByLabel('Prompt tokens above').fill('128000');
    await tier(1).getByLabel('Cached input').fill('0.25');
    await field(page, 'Audio input').first().fill('3');
    await field(page, 'Per image').fill('0.04');
    await page.getByRole('button', { name: 'Add a tool' }).click();
    await page.getByLabel('Tool', { exact: true }).last().fill('mcp');
    await page.getByLabel('Price', { exact: true }).last().fill('0');
    await page.getByRole('combobox', { name: 'Price options without a tier' }).click();
    await page.getByRole('option', { name: 'Remove them from the request' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { priced_fields: _fields, ...kept } = large.spec as unknown as Readonly<Record<string, unknown>>;
    expect(sentTo('PUT /admin/v1/models/acme%2Flarge')).toEqual({
      ...kept,
      price: {
        input: '1.25',
        output: '10',
        cached_input: '0.125',
        input_audio: '3',
        reasoning: '12',
        provider_tools: { web_search: '10', mcp: '0' },
        units: { request: '0.001', image: '0.04' },
        tiers: [
          { when: { prompt_over: 128_000 }, input: '2.50', output: '15', cached_input: '0.25' },
          { when: { service_tier: 'batch' }, factor: '0.5' },
          { when: { service_tier: 'priority', region: 'us' }, factor: '2.5' },
        ],
      },
    });
    expect(complaints).toEqual([]);
    await close();
  });

  test('the cost of a route has the same prices as the model', async () => {
    const { page, close } = await open('operator/models/acme%2Fchat?edit=1');
    const route = page.getByRole('listitem').filter({ hasText: 'Provider cost' }).first();
    await route.getByRole('button', { name: /Provider cost/ }).click();
    await route.getByText('Priced').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await route.getByText('This field is required').first().waitFor();
    await field(page, 'Input').first().fill('0.50');
    await field(page, 'Output').first().fill('1.50');
    await field(page, 'Cached input').first().fill('0.05');
    await route.getByRole('button', { name: 'Tiers and other prices' }).click();
    await route.getByRole('textbox', { name: 'Per request' }).fill('0.001');
    await route.getByRole('button', { name: 'Provider cost: 0.50 / 1.50' }).waitFor();
    await shot(page, 'model-route-cost');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    const sent = () => sentTo('PUT /admin/v1/models/acme%2Fchat') as { routes: readonly object[] } | undefined;
    const cost = { input: '0.50', output: '1.50', cached_input: '0.05', units: { request: '0.001' } };
    await expect.poll(() => sent()?.routes[0]).toMatchObject({ upstream: 'deepseek', cost });
    await close();
  });

  test('the form calculates an example for each tier while the operator types', async () => {
    const { page, close } = await open('operator/models/acme%2Fchat?edit=1');
    await page.getByText('Example: 1,000 input, 500 output tokens cost $0.0014.').waitFor();
    await page.getByRole('button', { name: 'Tiers and other prices' }).click();
    await page.getByRole('button', { name: 'Add a service tier' }).click();
    await expect.poll(() => page.getByText('Example: 1,000').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Service tier' }).fill('flex');
    await page.getByLabel('Factor').fill('0.5');
    const examples = page.getByRole('table', { name: 'Example requests' });
    await examples.getByRole('row', { name: /No tier.*\$0\.0014/ }).waitFor();
    await examples.getByRole('row', { name: /flex.*× 0\.5.*\$0\.0007/ }).waitFor();
    await shot(page, 'model-price-example');
    await expectAccessible(page);
    await close();
  });

  test('the page does not send a tier without a condition or a factor', async () => {
    const { page, close } = await open('operator/models/acme%2Fchat?edit=1');
    await page.getByRole('button', { name: 'Tiers and other prices' }).click();
    await page.getByRole('button', { name: 'Add a service tier' }).click();
    const before = console.calls.filter(({ line }) => line.startsWith('PUT')).length;
    await page.getByRole('button', { name: 'Save' }).click();
    const tier = page.getByRole('group', { name: 'Tier 1' });
    await tier.getByText('Must have at least one condition.').waitFor();
    await tier.getByText('This field is required').waitFor();
    await tier.getByLabel('Speed').fill('fast');
    await expect.poll(() => tier.getByText('Must have at least one condition.').count()).toBe(0);
    expect(console.calls.filter(({ line }) => line.startsWith('PUT')).length).toBe(before);
    await close();
  });

  test('a problem that the gateway reports is shown at its field, also at a hidden one', async () => {
    const strict = await fakeConsole({
      ...operating,
      'PUT /admin/v1/models/acme%2Flarge': refusal(400, reason('invalid_fields'), 'invalid_request', [
        { field: 'price.tiers[1].factor', ...broken('not_a_decimal', { whole: 3, places: 6 }) },
        { field: 'price.input', ...broken('not_text') },
        { field: 'price.units.request', ...broken('not_text') },
        { field: 'context_window', ...broken('number_too_small', { min: 1 }) },
        { field: 'routes[0].weight', ...broken('number_too_large', { max: 1000 }) },
      ]),
    });
    const { page, close } = await open(edit, strict);
    const more = page.getByRole('button', { name: 'Tiers and other prices' });
    await more.click();
    await expect.poll(() => more.getAttribute('aria-expanded')).toBe('false');
    await page.getByRole('button', { name: 'Save' }).click();
    const factor = page.getByRole('group', { name: 'Tier 2' }).getByLabel('Factor');
    await factor.waitFor();
    const problemAt = async (name: string) => {
      const described = (await field(page, name).first().getAttribute('aria-describedby')) ?? '';
      const ids = described.split(' ').map((id) => `[id="${id}"]`);
      return (await page.locator(ids.join(',')).allInnerTexts()).join(' ');
    };
    expect(await factor.getAttribute('aria-invalid')).toBe('true');
    expect(await problemAt('Factor')).toContain('Must be a decimal number, not negative');
    expect(await problemAt('Input')).toBe('Must be text.');
    expect(await problemAt('Per request')).toBe('Must be text.');
    expect(await problemAt('Context')).toBe('Must be at least 1.');
    await page.getByText('“Route 1, Weight” must be at most 1,000.').first().waitFor();
    await page.getByRole('alert').getByText('“Tier 2, Factor” must be a decimal number').waitFor();
    await shot(page, 'model-price-refused');
    await factor.fill('3');
    await expect.poll(() => factor.getAttribute('aria-invalid')).not.toBe('true');
    await close();
    await strict.close();
  });
});

describe('the price factor of a package', () => {
  test('an operator sets it with an example, and the list shows it', async () => {
    const { page, close } = await open('operator/packages');
    await page.getByRole('row', { name: /^pro/ }).getByText('× 1.2').waitFor();
    await page.getByRole('button', { name: 'pro', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('a request that costs $1.00 at the model price is charged $1.20.').waitFor();
    const factor = dialog.getByLabel('Price factor');
    await factor.fill('1,5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Must be a decimal number, not negative').waitFor();
    await factor.fill('0.85');
    await dialog.getByText('is charged $0.85.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const unchanged = { name: 'pro', models: ['*'], weight: 8 };
    expect(sentTo('PUT /admin/v1/packages/pro')).toEqual({ ...unchanged, price_factor: '0.85' });
    await page.getByRole('button', { name: 'pro', exact: true }).click();
    await factor.fill('1.0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(sentTo('PUT /admin/v1/packages/pro')).toEqual(unchanged);
    await close();
  });

  test('is shown on the lines of a statement that were charged with it', async () => {
    const { page, close } = await open('billing/2026-01');
    await page.getByRole('row', { name: /Charge.*Price factor × 1\.20/ }).waitFor();
    expect(await page.getByText('Price factor').count()).toBe(1);
    await close();
  });
});

describe('the cost in answers', () => {
  test('is a switch of a site', async () => {
    const { page, close } = await open('operator/sites?site=partners');
    await page.getByRole('switch', { name: 'Report the cost in responses' }).click({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(sentTo('PUT /admin/v1/sites/partners')).toMatchObject({ report_cost: true });
    await close();
  });

  test('is a switch of a key', async () => {
    const { page, close } = await open('keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Costs');
    await dialog.getByRole('switch', { name: 'Report the cost in responses' }).click({ force: true });
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await expect.poll(() => sentTo('POST /account/v1/keys')).toMatchObject({ name: 'Costs', report_cost: true });
    await close();
  });
});

describe('the margin', () => {
  const money = (text: string) => nanoFrom((/\$([\d,.]+)/.exec(text)?.[1] ?? 'none').replaceAll(',', ''));

  test.each(['model', 'account'])(
    'by %s and by day adds up: revenue, minus revenue without known cost, minus cost',
    async (by) => {
      const { page, close } = await open(`operator/usage?by=${by}`);
      const margins = page.getByRole('table', { name: 'Margin by day' });
      await margins.getByRole('row', { name: /^Total/ }).waitFor();
      for (const table of [margins, page.getByRole('table', { name: /^Usage by/ })]) {
        const rows = await table.getByRole('row').all();
        for (const row of rows.slice(1)) {
          const amountIn = async (column: string) => money(await row.locator(`[data-label="${column}"]`).innerText());
          const [revenue, unknown] = [await amountIn('Revenue'), await amountIn('No known cost')];
          const [cost, margin] = [await amountIn('Provider cost'), await amountIn('Margin')];
          expect(unknown).toBeGreaterThan(0n);
          expect(decimalText(revenue - unknown - cost)).toBe(decimalText(margin));
        }
      }
      const card = page.getByRole('group', { name: 'Margin' });
      await card.getByRole('button', { name: /^Covers 9\d(\.\d)?% of revenue$/ }).hover();
      const tooltip = page.getByRole('tooltip').filter({ hasText: 'Provider cost' });
      await tooltip.waitFor();
      const sum = await tooltip.getByRole('definition').allInnerTexts();
      const [revenue = 0n, ...parts] = sum.map((text) => (text.startsWith('-') ? -money(text) : money(text)));
      const margin = parts.pop() ?? 0n;
      expect(parts).toHaveLength(2);
      expect(decimalText(parts.reduce((left, part) => left + part, revenue))).toBe(decimalText(margin));
      await shot(page, `operator-margin-${by}`);
      await close();
    },
  );

  test('is not on the usage page of an account', async () => {
    const { page, close } = await open('usage');
    await page
      .getByRole('table', { name: /^Usage by/ })
      .getByRole('cell')
      .first()
      .waitFor();
    expect(await page.getByText(/margin|provider cost/i).count()).toBe(0);
    await close();
  });
});

describe('the groupings of usage', () => {
  test('of all accounts include keys, members, end users and tags, and the table fits 1360 pixels', async () => {
    const { page, close } = await open('operator/usage');
    await page.setViewportSize({ width: 1360, height: 900 });
    const table = page.getByRole('table', { name: /^Usage by/ });
    await table.getByText('globex').waitFor();
    const hidden = await table.evaluate((element) => {
      const box = element.parentElement ?? element;
      return Math.max(box.scrollWidth - box.clientWidth, element.scrollWidth - element.clientWidth);
    });
    expect(hidden).toBe(0);
    await page.getByRole('combobox', { name: 'Group by' }).click();
    const offered = await page.getByRole('option').allInnerTexts();
    expect(offered).toEqual(expect.arrayContaining(['Account', 'Key', 'Member', 'User ID', 'Tag', 'Upstream']));
    await close();
  });

  test('are offered instead of an unknown one', async () => {
    const { page, close } = await open('usage?by=team');
    const notice = page.getByRole('alert').filter({ hasText: '“team”' });
    await notice.getByRole('link', { name: 'Tag' }).click();
    await page.waitForURL('**/app/usage?by=tag');
    await page.getByRole('table', { name: 'Usage by Tag' }).waitFor();
    await close();
  });
});
