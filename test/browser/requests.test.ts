import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeConsole, fakeConsole } from './fake-console.ts';
import { key } from './owner-replies.ts';
import { models, operatorDetail, requestBodies, requestRow, requestDetail } from './request-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectGoodLooks, openView, walkThrough } from './view.ts';

let browser: Browser;
let console: FakeConsole;

const keys = {
  data: [key({ id: 'key_1', name: 'production' }), key({ id: 'key_2', name: 'laptop' })],
  next: null,
};
const names = { account_name: 'acme', key_name: 'production' };
const routing = { upstream: 'deepseek', upstream_model: 'deepseek-chat', attempt_count: 1, notes: [], ...names };
const failed = {
  ...requestDetail,
  id: 'failed',
  status: 502,
  error_case: 'upstream-failed',
  finish: null,
  cost: null,
  cost_lines: [],
  ledger: [],
  attempts: requestDetail.attempts.slice(0, 1),
  duration_ms: 1502,
  first_byte_ms: null,
};
const refused = {
  ...failed,
  id: 'refused',
  status: 400,
  error_case: 'invalid-request',
  error_detail: 'temperature must be a number from 0 to 2.',
  requested_whole: null,
  unwanted_stream: null,
  attempts: [],
  duration_ms: 4,
};
const capped = { ...refused, id: 'capped', status: 402, error_case: 'key-cap-reached', error_detail: null };
const broken = { ...requestDetail, id: 'broken', error_case: 'upstream-failed', ended_in_frame: true };
const unwanted = { ...requestDetail, id: 'unwanted', requested_whole: true, unwanted_stream: true };
const rows = [
  requestRow,
  { ...requestRow, id: 'r2', status: 502, error_case: 'upstream-failed', cost: null, completion_tokens: null },
  { ...requestRow, id: 'r3', status: 200, error_case: 'upstream-failed', user_id: null, duration_ms: 61_200 },
  {
    ...requestRow,
    id: 'r4',
    status: 403,
    error_case: 'access-denied',
    model: null,
    requested_model: 'gpt-none',
    cost: null,
  },
];

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({
    'GET /account/v1/models': models,
    'GET /account/v1/keys': keys,
    'GET /admin/v1/keys': keys,
    'GET /account/v1/requests': { data: rows, next: 'more', searched_to: '2026-05-01T10:00:00.000Z' },
    'GET /account/v1/requests.csv': 'started_at,id\r\n',
    'GET /admin/v1/requests': { data: rows.map((row) => ({ ...row, ...routing })), next: null, searched_to: null },
    [`GET /account/v1/requests/${requestRow.id}`]: requestDetail,
    [`GET /account/v1/requests/chatcmpl-${requestRow.id}`]: requestDetail,
    'GET /account/v1/requests/failed': failed,
    'GET /account/v1/requests/refused': refused,
    'GET /account/v1/requests/unwanted': unwanted,
    'GET /account/v1/requests/capped': capped,
    'GET /account/v1/requests/broken': broken,
    'GET /admin/v1/requests/unwanted': {
      ...operatorDetail,
      id: 'unwanted',
      requested_whole: true,
      unwanted_stream: true,
    },
    [`POST /account/v1/requests/${requestRow.id}/bodies/read`]: requestBodies,
    [`DELETE /account/v1/requests/${requestRow.id}/bodies`]: { deleted: 1, more: false },
    'GET /account/v1/keys/key_1': { ...keys.data[0], store_bodies: true },
    'PATCH /account/v1/keys/key_1': { ...keys.data[0], honour_stream_false: true },
    [`GET /admin/v1/requests/${requestRow.id}`]: operatorDetail,
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

describe('the pages of requests', () => {
  test('are accessible, fit the screen and break no policy', async () => {
    const views = [
      ['requests', '/app/requests', 'gpt-none'],
      ['request', `/app/requests/${requestRow.id}`, 'Timeline'],
      ['request-failed', '/app/requests/failed', 'How to fix it'],
      ['request-refused', '/app/requests/refused', 'temperature must be'],
      ['request-unwanted', '/app/requests/unwanted', 'honour_stream_false'],
      ['operator-requests', '/app/operator/requests', 'production'],
      ['operator-request', `/app/operator/requests/${requestRow.id}`, 'Repairs and notes'],
    ] as const;
    const walk = walkThrough(browser);
    for (const [name, path, words] of views) {
      const view = await walk(console.url + path);
      await view.page.getByText(words).first().waitFor();
      await expectGoodLooks(view, name);
    }
  });

  test('the page fetches stored bodies only on request, and deletes them permanently', async () => {
    const view = await openView(browser, `${console.url}/app/requests/${requestRow.id}`);
    const { page } = view;
    const card = page.locator('section', { hasText: 'Request and response bodies' }).last();
    await card.getByText('Stored, encrypted, until').waitFor();
    const isRead = () => console.calls.some(({ line }) => line.endsWith('/bodies/read'));
    expect(isRead()).toBe(false);
    await card.getByRole('button', { name: 'Show' }).click();
    await card.getByText('"content": "你好"').waitFor();
    await card.getByText('Only the beginning is stored. The full size is 303 KiB.').waitFor();
    await expectGoodLooks(view, 'request-bodies');
    await card.getByRole('button', { name: 'Delete' }).click();
    const requestSent = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    expect((await requestSent).url()).toContain(`/account/v1/requests/${requestRow.id}/bodies`);
    await page.getByText('Stored bodies deleted').waitFor();
    await view.close();
  });

  test('a filter appears in the address and in the request to the gateway', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests?status=5xx&key=key_1`);
    await page.getByText('stored, encrypted, for 7 days').waitFor();
    const requestSent = page.waitForRequest((request) => request.url().includes('user_id=ada'));
    await page.getByLabel('User ID').fill('ada');
    const query = new URL((await requestSent).url()).searchParams;
    expect(Object.fromEntries(query)).toEqual({ status_class: '5xx', key: 'key_1', user_id: 'ada', limit: '50' });
    await expect.poll(() => new URL(page.url()).searchParams.get('user_id')).toBe('ada');
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.waitForURL(({ pathname }) => pathname === '/app/requests');
    const kept = Object.fromEntries(new URL(page.url()).searchParams);
    expect(kept).toEqual({ status: '5xx', key: 'key_1', user_id: 'ada' });
    // With Follow, the list refreshes automatically. In another order, it cannot be followed.
    await page.getByRole('switch', { name: 'Live tail' }).click();
    await page.getByText(/^Updated/).waitFor();
    await page.waitForRequest((request) => request.url().includes('user_id=ada'));
    const ordered = page.waitForRequest((request) => request.url().includes('order=slowest'));
    await page.getByRole('columnheader', { name: 'Duration' }).getByRole('button').click();
    await ordered;
    await page.getByText('Sorted across the newest 20,000 requests').waitFor();
    await expect.poll(() => page.getByRole('switch', { name: 'Live tail' }).isDisabled()).toBe(true);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('requests-Acme.csv');
    await page.reload();
    await page.getByRole('columnheader', { name: 'Duration' }).waitFor();
    expect(new URL(page.url()).searchParams.get('order')).toBe('slowest');
    await close();
  });

  test('the next page is requested with the cursor of the previous one', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests`);
    const requestSent = page.waitForRequest((request) => request.url().includes('cursor=more'));
    await page.getByRole('button', { name: 'Show more' }).click();
    expect((await requestSent).url()).toContain('limit=50');
    await close();
  });

  test('the id of an answer leads to its request', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests`);
    await page.getByPlaceholder('Request or response ID').fill(`chatcmpl-${requestRow.id}`);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Timeline').waitFor();
    await expect.poll(() => page.getByText(requestRow.id, { exact: true }).count()).toBeGreaterThan(0);
    await close();
  });

  test('the page for an unknown id says where to find ids', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests/none`);
    await page.getByText('Request not found').waitFor();
    await expect.poll(() => page.getByText('x-gateway-request-id').count()).toBe(1);
    await close();
  });

  test('the page of a refused request shows the field and the message that the client got', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests/refused`);
    const notice = page.getByRole('alert').filter({ hasText: 'Invalid request' });
    await notice.getByText('temperature must be a number from 0 to 2.').waitFor();
    await close();
  });

  test('a reached key cap is not shown as an empty account, nor a broken answer as a complete one', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests/capped`);
    await page.getByRole('alert').getByText('Raise the cap, wait until it resets').waitFor();
    await expect.poll(() => page.getByText('Top up the account').count()).toBe(0);
    await page.goto(`${console.url}/app/requests/broken`);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('Response interrupted').waitFor();
    await expect.poll(() => attempts.getByText('Served the response').count()).toBe(0);
    await page.goto(`${console.url}/app/operator/requests?account=acme&upstream=deepseek`);
    const link = page.getByRole('link', { name: 'acme' }).first();
    expect(await link.getAttribute('href')).toBe(`/app/operator/accounts/${requestRow.account_id}`);
    await close();
  });

  test('the page of a stream instead of one body names the setting, and the owner can change it', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests/unwanted`);
    const requestSent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Allow non-streaming responses for this key' }).click();
    expect((await requestSent).postDataJSON()).toEqual({ honour_stream_false: true });
    await page.getByText('This key can now get non-streaming responses.').waitFor();
    await page.getByRole('link', { name: 'View as operator' }).click();
    await page.getByText('Client asked for a non-streaming response but got a stream').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Allow non-streaming responses for this key' }).count())
      .toBe(0);
    await close();
  });

  test('only operators see the names of upstreams', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/requests/${requestRow.id}`);
    await page.getByText('Provider 2').first().waitFor();
    await expect.poll(() => page.getByText('deepseek', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'View as operator' }).click();
    await page.getByText('deepseek', { exact: true }).first().waitFor();
    await page.getByText('the provider answered with 503').waitFor();
    await close();
  });
});
