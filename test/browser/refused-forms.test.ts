import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import { type FakeConsole, fakeConsole, refusal, visitor } from './fake-console.ts';
import { chat, operating } from './operating-replies.ts';
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

test('a form shows its own messages in the language of the dashboard, and focuses the first wrong field', async () => {
  const strangers = await fakeConsole({ 'GET /auth/session': visitor });
  const { page, close } = await openView(browser, `${strangers.url}/app/sign-in`, { language: 'zh' });
  const focused = () => page.evaluate('document.activeElement?.autocomplete');
  const email = page.getByRole('textbox', { name: '邮箱' });
  await page.getByRole('button', { name: '登录', exact: true }).click();
  await page.getByText('此项必填').first().waitFor();
  expect(await page.getByText('此项必填').count()).toBe(2);
  await expect.poll(focused).toBe('username webauthn');
  await email.fill('ada');
  await page.getByLabel('密码', { exact: true }).fill('secret');
  await page.getByRole('button', { name: '登录', exact: true }).click();
  await page.getByText('请填写有效的邮箱地址').waitFor();
  await expect.poll(focused).toBe('username webauthn');
  expect(await page.locator('form:not([novalidate])').count()).toBe(0);
  expect(strangers.calls.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  await close();
  await strangers.close();
});

test('a new model needs only an id, an upstream and a price; the rest is behind a link with a count', async () => {
  const added = await fakeConsole({ ...operating, 'POST /admin/v1/models': chat });
  const { page, close } = await openView(browser, `${added.url}/app/operator/models?add=new`);
  const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-invalid")');
  const submit = page.getByRole('button', { name: 'Add a model' });
  await submit.click();
  await page.getByText('This field is required').first().waitFor();
  await expect.poll(focused).toBe('true');
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('embedder');
  await page.getByRole('combobox', { name: 'Upstream' }).click();
  await page.getByRole('option', { name: 'moonshot' }).click();
  await page.getByRole('textbox', { name: 'Input', exact: true }).fill('0.02');
  await page.getByRole('textbox', { name: 'Output', exact: true }).fill('0');
  const advanced = page.getByRole('button', { name: 'Advanced' });
  expect(await page.getByText('Aliases').count()).toBe(0);
  await advanced.click();
  for (const name of ['openai', 'openai-response', 'anthropic']) {
    await page.getByRole('checkbox', { name: `(${name})` }).uncheck();
  }
  await advanced.click();
  await submit.click();
  await page.getByText('Choose at least one API or endpoint').waitFor();
  await page.getByRole('checkbox', { name: 'embeddings' }).check();
  await page.getByRole('button', { name: 'Advanced 1 set' }).waitFor();
  await shot(page, 'model-advanced');
  await submit.click();
  const sent = () => added.calls.find(({ line }) => line === 'POST /admin/v1/models')?.body;
  await expect.poll(sent).toEqual({
    id: 'embedder',
    endpoints: ['embeddings'],
    routes: [{ upstream: 'moonshot' }],
    price: { input: '0.02', output: '0' },
  });
  await close();
  await added.close();
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
