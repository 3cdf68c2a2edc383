import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { broken, reason } from '../../src/core/reasons/reason.ts';
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
    'PUT /admin/v1/models/acme%2Fchat': refusal(400, reason('invalid_fields'), 'invalid_request', [
      { field: 'routes[2].weight', ...broken('number_too_large', { max: 1000 }), fix: 'Correct it.' },
      { field: 'price.input', ...broken('not_text'), fix: 'Put it in quotes.' },
    ]),
    'PUT /admin/v1/upstreams/moonshot': refusal(400, reason('invalid_fields'), 'invalid_request', [
      { field: 'timeouts.first_event', ...broken('not_a_duration', { examples: '30s' }), fix: 'Correct it.' },
    ]),
    'POST /admin/v1/model-batches': refusal(400, reason('models_not_added'), 'invalid_request', [
      {
        field: 'models[0].price.input',
        ...broken('not_a_decimal', { whole: 6, places: 6 }),
        fix: 'Write a decimal in quotes.',
        entry: 'kimi-k2-0711-preview',
      },
    ]),
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

test('the errors of a refused model use the labels of the form for routes and prices', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/operator/models/acme%2Fchat?edit=1`);
  await page.getByRole('button', { name: 'Save' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Request ID' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain('“Route 3, Weight” must be at most 1,000. Correct it.');
  expect(await notice.textContent()).toContain('“Price, Input” must be text. Put it in quotes.');
  await shot(page, 'model-refused');
  await close();
});

test('the errors of a refused upstream use the Chinese labels of the form', async () => {
  const address = `${console.url}/app/operator/upstreams/moonshot?edit=1`;
  const { page, close } = await openView(browser, address, { language: 'zh' });
  await page.getByRole('button', { name: '保存' }).click();
  const notice = page.getByRole('alert').filter({ hasText: '30s' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain('超时，首个事件：必须是时长，例如 30s。');
  await close();
});

test('the errors of several refused models contain their names', async () => {
  const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/moonshot`);
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByRole('button', { name: 'Add models in bulk' }).click();
  await page.getByRole('button', { name: 'Select models with a known price' }).click();
  await page.getByRole('button', { name: 'Add 1 model' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'No model was added' });
  await notice.waitFor();
  expect(await notice.textContent()).toContain(
    'No model was added. Correct or remove the invalid ones. kimi-k2-0711-preview: “Price, Input” must be a decimal number, not negative, with at most 6 digits before and 6 after the point. Write a decimal in quotes.',
  );
  await close();
});
