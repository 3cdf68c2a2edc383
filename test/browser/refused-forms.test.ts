import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeConsole, fakeConsole, refusal } from './fake-console.ts';
import { operating } from './operating-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView, shot } from './view.ts';

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({
    ...operating,
    'PUT /admin/v1/models/acme%2Fchat': refusal(
      400,
      '`routes[2].weight` must be at most 1000. Correct it. `price.input` must be text. Put it in quotes.',
      'invalid_request',
    ),
    'PUT /admin/v1/upstreams/moonshot': refusal(
      400,
      '`timeouts.first_event` must be a duration such as 30s. Correct it.',
      'invalid_request',
    ),
    'POST /admin/v1/model-batches': refusal(
      400,
      'None of the models was added. models[0] (kimi-k2-0711-preview): This model cannot be added: price.input must be a decimal number with at most 6 digits before and 6 after the point, not negative Write a decimal in quotes. Mend or leave out those.',
      'invalid_request',
    ),
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

test('a refused model is told with its routes and prices as the form calls them', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/operator/models/acme%2Fchat?edit=1`);
  await page.getByRole('button', { name: 'Save' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'must be at most 1000' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain('“Route 3, Weight” must be at most 1000.');
  expect(await notice.textContent()).toContain('“Price, Input” must be text.');
  await shot(page, 'model-refused');
  await close();
});

test('a refused upstream is told in Chinese with its settings as the form calls them', async () => {
  const address = `${console.url}/app/operator/upstreams/moonshot?edit=1`;
  const { page, close } = await openView(browser, address, { language: 'zh' });
  await page.getByRole('button', { name: '保存' }).click();
  const notice = page.getByRole('alert').filter({ hasText: '30s' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain('超时，首个事件：写法不正确，例如 30s。');
  await close();
});

test('many refused models are told by their names', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/moonshot`);
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByRole('button', { name: 'Add many models' }).click();
  await page.getByRole('button', { name: 'Choose those with a known price' }).click();
  await page.getByRole('button', { name: 'Add 1 model' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'None of the models was added' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain(
    'None of the models was added. kimi-k2-0711-preview: This model cannot be added: “Price, Input” must be',
  );
  await close();
});
