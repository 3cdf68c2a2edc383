import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reason } from 'chat-formats/reasons/reason.ts';
import { changing, type FakeConsole, fakeConsole, refusal, sequence } from './fake-console.ts';
import { acme, operatorReplies } from './operator-replies.ts';
import { key, ownerReplies } from './owner-replies.ts';
import { requestRow } from './request-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView, shot } from './view.ts';

const longName = 'a-customer-whose-name-is-much-longer-than-any-column-of-this-table-could-ever-show';
const routing = { upstream: 'deepseek', upstream_model: 'deepseek-chat', attempt_count: 1, notes: [] };
const minuteMs = 60_000;
const requests = Array.from({ length: 30 }, (_, index) => ({
  ...requestRow,
  ...routing,
  id: `request-${index}`,
  started_at: new Date(Date.now() - 2 * index * minuteMs - 12_000).toISOString(),
  account_name: index % 2 === 0 ? 'umbrella' : longName,
  key_name: 'umbrella-production',
  prompt_tokens: 123_456,
  completion_tokens: 98_765,
}));
const old = { ...requests[0], id: 'old', started_at: '2026-01-02T10:00:00.000Z' };
const names = ['acme', 'beta', 'gamma', 'delta'];
const accounts = names.map((name, index) => ({ ...acme, id: `acc_${index}`, name }));

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({
    ...ownerReplies,
    ...operatorReplies,
    'GET /admin/v1/requests': { data: [...requests, old], next: null, searched_to: null },
    'GET /admin/v1/accounts': { data: accounts, next: null },
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

const headers = (page: Page) => page.getByRole('columnheader').allInnerTexts();

describe('the table of requests', () => {
  test('shows the figures of a request on a small laptop, and leaves out names first', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/requests`);
    await page.getByText('umbrella').first().waitFor();
    await expect.poll(() => headers(page)).toContain('Upstream');
    await page.setViewportSize({ width: 1024, height: 800 });
    const needed = ['Time', 'Model', 'Status', 'Tokens', 'Cost', 'Queue time', 'Duration'];
    await expect.poll(() => headers(page)).not.toContain('Upstream');
    expect(await headers(page)).toEqual(expect.arrayContaining(needed));
    const edges = await page.evaluate<readonly number[]>(
      `[...document.querySelectorAll('thead th')].map((head) => head.getBoundingClientRect().right)`,
    );
    expect(Math.max(...edges)).toBeLessThanOrEqual(1024 - 40);
    // A row has one line, and so has a name that is too long.
    const heights = await page.evaluate<readonly number[]>(
      `[...document.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)`,
    );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
    expect(Math.max(...heights)).toBeLessThanOrEqual(40);
    await page.setViewportSize({ width: 1360, height: 800 });
    await expect.poll(() => headers(page)).toContain('Upstream');
    await close();
  });

  test('shows the whole name on hover and on focus', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/requests`);
    await page.getByText('umbrella').first().waitFor();
    const link = page.getByRole('link', { name: longName }).first();
    const line = link.locator('xpath=..');
    await expect.poll(() => line.getAttribute('title')).toBe(longName);
    const height = () => line.evaluate((element) => (element as unknown as { offsetHeight: number }).offsetHeight);
    const cut = await height();
    await page.keyboard.press('Tab');
    await link.focus();
    expect(await height()).toBeGreaterThan(cut);
    await close();
  });

  test('shows ages, with the exact time and zone on hover, and dates after a day', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/requests`, { once: true });
    const first = page.getByRole('row').nth(1).locator('time');
    await first.waitFor();
    expect(await first.innerText()).toMatch(/^\d+ ?s/);
    expect(await first.getAttribute('title')).toMatch(/\d\d:\d\d:\d\d.*(CET|GMT\+1)/);
    expect(await first.getAttribute('datetime')).toBe(requests[0]?.started_at);
    const before = await first.innerText();
    const reads = () => console.calls.filter(({ line }) => line === 'GET /admin/v1/requests').length;
    const readBefore = reads();
    await expect.poll(() => first.innerText(), { timeout: 20_000 }).not.toBe(before);
    expect(reads()).toBe(readBefore);
    expect(await page.getByRole('row').last().locator('time').innerText()).toBe('2 Jan 2026');
    await close();
  });

  test('keeps the chosen columns of this table, and the row height of all tables', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/requests`);
    await page.getByText('umbrella').first().waitFor();
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'First byte' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Upstream' }).click();
    await page.getByRole('menuitemradio', { name: 'Comfortable' }).click();
    await shot(page, 'table-view');
    await expect.poll(() => headers(page)).toContain('First byte');
    await page.reload();
    await page.getByText('umbrella').first().waitFor();
    await expect.poll(() => headers(page)).toContain('First byte');
    expect(await headers(page)).not.toContain('Upstream');
    await page.goto(`${console.url}/app/operator/accounts`);
    await page.getByText('gamma').waitFor();
    expect(await page.getByRole('table').getAttribute('data-density')).toBe('comfortable');
    expect(await headers(page)).toContain('Package');
    await close();
  });

  test('on a phone starts near the top, and has its filters behind one button', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/requests?status=5xx&range=day`, {
      screen: 'narrow',
    });
    const row = page.getByRole('row').nth(1);
    await row.getByText('200').waitFor();
    const [bar, box] = [await page.locator('header, [class*=phoneBar]').first().boundingBox(), await row.boundingBox()];
    expect((box?.y ?? 0) - ((bar?.y ?? 0) + 56)).toBeLessThan(230);
    for (const shown of ['$0.001512', '6.42s', 'sim-chat']) await row.getByText(shown).waitFor();
    await page.getByRole('button', { name: 'Filters 2' }).click();
    const sheet = page.getByRole('dialog');
    const sent = page.waitForRequest((request) => request.url().includes('order=slowest'));
    await sheet.getByRole('combobox', { name: 'Sort by' }).click();
    await page.getByRole('option', { name: 'Slowest first' }).click();
    await sent;
    await shot(page, 'table-filters-phone');
    await sheet.getByRole('button', { name: 'Clear filters' }).click();
    await sheet.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
    await close();
  });

  test('exports the selected rows only', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/requests`);
    await page.getByRole('checkbox', { name: 'Select request-1', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Select request-3', exact: true }).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export selected' }).click();
    const lines = (await text(await (await saved).createReadStream())).trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(',')[1])).toEqual(['id', 'request-1', 'request-2', 'request-3']);
    await close();
  });
});

test('the table of usage keeps its money on a small laptop', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/usage`);
  await page.setViewportSize({ width: 1024, height: 800 });
  const money = page.getByRole('columnheader', { name: 'Spend', exact: true });
  const right = async () => {
    const box = await money.boundingBox();
    return (box?.x ?? 0) + (box?.width ?? Number.NaN);
  };
  await expect.poll(right).toBeLessThanOrEqual(1024 - 40);
  await close();
});

test('a key with a cap shows its spend beside its menu on a phone', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/keys`, { screen: 'narrow' });
  const row = page.getByRole('row').filter({ hasText: 'Staging server' });
  const amount = await row.getByText('$18.92').boundingBox();
  const menu = await row.getByRole('button').boundingBox();
  expect((amount?.x ?? Number.NaN) + (amount?.width ?? 0)).toBeLessThanOrEqual(menu?.x ?? 0);
  await close();
});

test('an operator withdraws the unused codes of the selected batches on a phone', async () => {
  const { data } = operatorReplies['GET /admin/v1/code-batches'] as { readonly data: readonly object[] };
  const batches = [
    { ...data[0], id: 'spring', note: 'Spring', count: 5, redeemed: 1, withdrawn: 0 },
    { ...data[0], id: 'summer', note: 'Summer', count: 5, redeemed: 0, withdrawn: 0 },
    { ...data[0], id: 'used', note: 'Used', count: 5, redeemed: 3, withdrawn: 2 },
    { ...data[0], id: 'kept', note: 'Kept', count: 5, redeemed: 0, withdrawn: 0 },
  ];
  const operator = await fakeConsole({
    ...operatorReplies,
    'GET /admin/v1/code-batches': { data: batches, next: null },
    'POST /admin/v1/code-batches/spring/withdraw': batches[0],
    'POST /admin/v1/code-batches/summer/withdraw': batches[1],
  });
  const { page, close } = await openView(browser, `${operator.url}/app/operator/codes`, { screen: 'narrow' });
  for (const name of ['Spring', 'Summer', 'Used']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await shot(page, 'table-selected-phone');
  await page.getByRole('button', { name: 'Withdraw' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 selected row stays as it is.').waitFor();
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['Spring', 'Summer']);
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await dialog.waitFor({ state: 'detached' });
  const posts = operator.calls.filter(({ line }) => line.startsWith('POST')).map(({ line }) => line.split('/')[4]);
  expect(new Set(posts)).toEqual(new Set(['spring', 'summer']));
  await close();
  await operator.close();
});

describe('the table of accounts', () => {
  test('is sorted by spend on the server, in both directions', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/accounts`);
    const spend = page.getByRole('columnheader', { name: 'Spend, 30 days' });
    for (const [sort, direction] of [
      ['spend', 'descending'],
      ['lowest_spend', 'ascending'],
    ] as const) {
      const sent = page.waitForRequest((request) => new URL(request.url()).searchParams.get('sort') === sort);
      await spend.getByRole('button').click();
      await sent;
      await expect.poll(() => spend.getAttribute('aria-sort')).toBe(direction);
    }
    await close();
  });

  test('suspends the selected accounts, and lists those that failed with the reason', async () => {
    const after = accounts.map((account) => ({ ...account, status: account.name === 'beta' ? 'active' : 'suspended' }));
    const listed = changing({ data: accounts, next: null }, { data: after, next: null });
    const partial = await fakeConsole({
      ...operatorReplies,
      'GET /admin/v1/accounts': listed.answer,
      'POST /admin/v1/accounts/acc_0/suspend': { ...accounts[0], status: 'suspended' },
      'POST /admin/v1/accounts/acc_1/suspend': sequence(refusal(403, reason('package_owned_by_file')), {
        ...accounts[1],
        status: 'suspended',
      }),
      'POST /admin/v1/accounts/acc_2/suspend': listed.by({ ...accounts[2], status: 'suspended' }),
    });
    const { page, close } = await openView(browser, `${partial.url}/app/operator/accounts`);
    await page.getByRole('checkbox', { name: 'Select acme' }).check();
    await page.getByRole('checkbox', { name: 'Select gamma' }).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend 3 accounts?' });
    await dialog.getByRole('listitem').first().waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['acme', 'beta', 'gamma']);
    await shot(page, 'table-suspend');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await dialog.getByText('1 failed').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^beta\n.*configuration file/),
    ]);
    await dialog.getByText('2 others are done.').waitFor();
    await shot(page, 'table-suspend-failed');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('3 accounts are suspended').waitFor();
    const posts = partial.calls.filter(({ line }) => line.startsWith('POST'));
    expect(posts.map(({ line }) => line.split('/')[4])).toEqual(['acc_0', 'acc_1', 'acc_2', 'acc_1']);
    expect(new Set(posts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(4);
    await close();
    await partial.close();
  });

  test('an empty list offers the next step, also as a command', async () => {
    const none = await fakeConsole({ ...operatorReplies, 'GET /admin/v1/accounts': { data: [], next: null } });
    const { page, close } = await openView(browser, `${none.url}/app/operator/accounts?status=suspended`);
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.getByText('chat-gateway accounts create acme --credit 25').waitFor();
    await close();
    await none.close();
  });
});

describe('the table of keys', () => {
  test('revokes the selected keys that are active', async () => {
    const keys = ['one', 'two', 'three'].map((name, index) => ({ id: `key_${index}`, name }));
    const ended = { ...key({ id: 'key_9', name: 'ended' }), state: 'revoked', revoked_at: '2026-01-02T10:00:00.000Z' };
    const owner = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/keys': { data: [...keys.map(key), ended], next: null },
      ...Object.fromEntries(
        keys.map(({ id, name }) => [`POST /account/v1/keys/${id}/revoke`, key({ id, name, state: 'revoked' })]),
      ),
    });
    const { page, close } = await openView(browser, `${owner.url}/app/keys?ended=shown`);
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByText('4 selected').waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke 3 keys?' });
    await dialog.getByText('1 selected row stays as it is.').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('3 keys are revoked').waitFor();
    expect(owner.calls.filter(({ line }) => line.endsWith('/revoke'))).toHaveLength(3);
    await close();
    await owner.close();
  });

  test('says why no key can be created while the account is suspended', async () => {
    const suspended = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/account': { ...ownerReplies['GET /account/v1/account'], status: 'suspended' },
    });
    const { page, close } = await openView(browser, `${suspended.url}/app/keys?new=key`);
    const create = page.getByRole('button', { name: 'Create key' });
    await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true');
    await create.focus();
    await page.getByRole('tooltip', { name: /This account is suspended/ }).waitFor();
    await create.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
    await suspended.close();
  });
});
