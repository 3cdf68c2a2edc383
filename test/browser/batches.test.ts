import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchIds, batchReplies } from './batch-replies.ts';
import { type FakeConsole, fakeConsole } from './fake-console.ts';
import { ownerReplies } from './owner-replies.ts';
import { models } from './request-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectGoodLooks, openView, type View, walkThrough } from './view.ts';

let browser: Browser;
let console: FakeConsole;
let empty: FakeConsole;
let walk: (address: string) => Promise<View>;

beforeAll(async () => {
  browser = await sharedChromium();
  walk = walkThrough(browser);
  const shared = { ...ownerReplies, 'GET /account/v1/models': models };
  console = await fakeConsole({ ...shared, ...batchReplies });
  const nothing = { data: [], next: null };
  empty = await fakeConsole({ ...shared, 'GET /account/v1/batches': nothing, 'GET /admin/v1/batches': nothing });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
  await empty?.close();
});

const pages = [
  { name: 'batches', path: '/app/batches', heading: 'Batches' },
  { name: 'batch-running', path: `/app/batches/${batchIds.running}`, heading: 'Batch' },
  { name: 'batch-completed', path: `/app/batches/${batchIds.completed}`, heading: 'Batch' },
  { name: 'batch-refused', path: `/app/batches/${batchIds.refused}`, heading: 'Batch' },
  { name: 'all-batches', path: '/app/operator/batches', heading: 'All batches' },
  { name: 'any-batch', path: `/app/operator/batches/${batchIds.completed}`, heading: 'Batch (operator)' },
];

describe.each(pages)('the page $name', ({ name, path, heading }) => {
  test('is accessible, fits the screen and breaks no policy', async () => {
    const view = await walk(console.url + path);
    await view.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await expect.poll(() => view.page.locator('[aria-busy="true"]').count()).toBe(0);
    await expectGoodLooks(view, name);
  });
});

test('an account without batches gets a program for one of its models', async () => {
  const view = await openView(browser, `${empty.url}/app/batches`);
  await view.page.getByText('client.batches.create').waitFor();
  await view.page.getByText('"model":"sim-chat"').waitFor();
  await expectGoodLooks(view, 'batches-empty');
  await view.close();
});

test('the list shows the progress of a batch that runs, and reads it again', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/batches`);
  const bar = page.getByRole('progressbar', { name: '6,424 of 10,000 requests are done' });
  await bar.waitFor();
  const reads = () => console.calls.filter(({ line }) => line === 'GET /account/v1/batches').length;
  const before = reads();
  await expect.poll(reads, { message: 'reads of the list' }).toBeGreaterThan(before);
  await close();
});

test('an owner cancels a batch after a question', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/batches/${batchIds.running}`);
  await page.getByRole('button', { name: 'Cancel batch' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this batch?' });
  expect(console.calls.some(({ line }) => line.endsWith('/cancel'))).toBe(false);
  await dialog.getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByText('The batch is being cancelled').waitFor();
  expect(console.calls.filter(({ line }) => line.endsWith('/cancel'))).toHaveLength(1);
  await close();
});

test('an owner downloads the output, and an operator is not offered it', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/batches/${batchIds.completed}`);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download output (1.2 MiB)' }).click();
  expect((await saved).suggestedFilename()).toBe('batch_done-output.jsonl');
  await page.goto(`${console.url}/app/operator/batches/${batchIds.completed}`);
  await page.getByText('Only the account can download its results.').waitFor();
  expect(await page.getByRole('button', { name: /Download/ }).count()).toBe(0);
  await close();
});

test('the problems of a refused file are listed with their lines, in Chinese too', async () => {
  const view = await openView(browser, `${console.url}/app/batches/${batchIds.refused}`, { language: 'zh' });
  const { page, close } = view;
  await page.getByRole('heading', { name: '输入文件未通过校验' }).waitFor();
  await page.getByRole('row', { name: /17.*duplicate_custom_id/ }).waitFor();
  await expectGoodLooks(view, 'batch-refused-zh');
  await close();
});
