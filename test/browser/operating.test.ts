import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeConsole, fakeConsole, signedIn } from './fake-console.ts';
import { idle, live, operating } from './operating-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectAccessible, expectGoodLooks, openView, shot, type View, walkThrough } from './view.ts';

let browser: Browser;
let walk: (address: string) => Promise<View>;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  walk = walkThrough(browser);
  console = await fakeConsole(operating);
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

const pages = [
  { name: 'live', path: '/app/operator/live', heading: 'Live', settled: 'Accounts at deepseek' },
  { name: 'upstreams', path: '/app/operator/upstreams', heading: 'Upstreams', settled: 'Slots' },
  { name: 'upstream', path: '/app/operator/upstreams/deepseek', heading: 'deepseek', settled: 'Credentials' },
  { name: 'add-upstream', path: '/app/operator/upstreams?add=choose', heading: 'Add an upstream' },
  { name: 'new-upstream', path: '/app/operator/upstreams?add=bedrock', heading: 'Add Amazon Bedrock' },
  { name: 'edit-upstream', path: '/app/operator/upstreams/moonshot?edit=1', heading: 'Edit moonshot' },
  { name: 'routes', path: '/app/operator/models', heading: 'Models and routes' },
  { name: 'model', path: '/app/operator/models/acme%2Fchat', heading: 'acme/chat' },
  { name: 'edit-model', path: '/app/operator/models/acme%2Fchat?edit=1', heading: 'Edit acme/chat' },
  { name: 'model-prices', path: '/app/operator/models/acme%2Flarge', heading: 'acme/large' },
  { name: 'edit-model-prices', path: '/app/operator/models/acme%2Flarge?edit=1', heading: 'Edit acme/large' },
  {
    name: 'catalog-as-key',
    path: '/app/operator/models?view=key&account=acc_1&key=key_1&domain=api.example.com',
    heading: 'Models and routes',
    settled: 'View as a key',
  },
];

describe.each(pages)("the operator's page $name", ({ name, path, heading, settled }) => {
  test('is accessible, fits the screen and breaks no policy', async () => {
    const view = await walk(console.url + path);
    const { page } = view;
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    if (settled) await page.getByLabel(settled).first().waitFor();
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
    await expectGoodLooks(view, name);
  });
});

describe('the live view', () => {
  test('shows which upstreams have waiting requests and why, and refreshes until it is paused', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/live`);
    await page.getByText('all 16 slots are in use').waitFor();
    await page.getByText('Waiting: cooldown until').waitFor();
    const requests = () => console.calls.filter(({ line }) => line === 'GET /admin/v1/live').length;
    const before = requests();
    await expect.poll(requests, { message: 'requests of the live view' }).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await close();
  });

  test('names the account that holds most slots, with its share, its fair share and its requests', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/live`);
    const queue = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'azure-east' }) });
    await queue.getByText('Acme holds 48 of 64 slots, 31 waiting').waitFor();
    await queue.getByText('Share 75%, fair share 33.3%').waitFor();
    const line = await queue.getByRole('list', { name: 'Waiting at azure-east' }).getByRole('listitem').allInnerTexts();
    expect(line.map((words) => words.replaceAll(/\s+/g, ' '))).toEqual([
      'Globex 4 for 3.4s',
      'A customer with a very long name GmbH & Co. KG 1 for 900ms',
      'Acme 31 for 41s',
    ]);
    // One block for each slot.
    const strip = queue.getByRole('img', { name: '64 of 64 slots of azure-east are in use' });
    await expect.poll(() => strip.locator('[data-colour]').count(), { message: 'blocks' }).toBe(64);
    await queue.getByRole('row', { name: /^Acme 48 31 41s 75% 33.3%$/ }).waitFor();
    await queue.getByRole('link', { name: 'Live requests' }).click();
    await page.waitForURL(/operator\/requests\?.*account=acc_1.*live=on/);
    await close();
  });

  test('adds up slots and accounts that are too many to draw, and lists them on request', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/live`);
    const queue = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'bulk', exact: true }) });
    const strip = queue.getByRole('img', { name: /of 2,?000 slots of bulk are in use/ });
    await expect.poll(() => strip.locator('[data-colour]').count(), { message: 'bars' }).toBe(8);
    await queue.getByRole('row', { name: '42 others' }).waitFor();
    await queue.getByRole('button', { name: 'Show all 50 accounts' }).click();
    await queue.getByRole('link', { name: 'Customer 50' }).waitFor();
    await queue.getByRole('button', { name: 'Show fewer accounts' }).click();
    await queue.getByRole('row', { name: '42 others' }).waitFor();
    await close();
  });

  test('leads from an upstream whose credential is rejected to the credential', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/live`);
    await page.getByText('The provider rejects every credential of this upstream.').waitFor();
    await page.getByRole('link', { name: 'replace the credential' }).click();
    await page.waitForURL(/operator\/upstreams\/mistral/);
    await close();
  });

  test('shows the latest requests, and marks those that arrive', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/live`);
    const latest = page.getByRole('table', { name: 'Latest requests' });
    await latest.getByRole('row').nth(3).waitFor();
    const { data } = operating['GET /admin/v1/requests'] as { data: readonly object[] };
    await page.route('**/admin/v1/requests?*', (route) =>
      route.fulfill({ json: { data: [{ ...data[0], id: 'r0' }, ...data], next: null, searched_to: null } }),
    );
    await latest.locator('tr[data-new]').waitFor();
    await close();
  });

  test('draws the observed values, the newest at the right', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/nowhere`, { once: true });
    let count = 0;
    await page.route('**/admin/v1/live', (route) => {
      count += 1;
      const running = 12 + Math.round(6 * Math.sin(count / 4));
      const at = new Date(count * 2000).toISOString();
      return route.fulfill({ json: { ...live, at, totals: { ...live.totals, running, waiting: count % 9 } } });
    });
    await page.clock.install();
    await page.getByRole('link', { name: 'Live', exact: true }).click();
    for (let moment = 0; moment < 30; moment += 1) {
      const answered = page.waitForResponse('**/admin/v1/live');
      await page.clock.runFor(2000);
      await answered;
    }
    const line = page.getByRole('region', { name: 'In flight' }).locator('polyline');
    await line.waitFor({ state: 'attached' });
    const points = async () => (await line.getAttribute('points'))?.split(' ') ?? [];
    await expect.poll(async () => (await points()).length, { message: 'points of the curve' }).toBeGreaterThan(20);
    expect((await points()).at(-1)).toMatch(/^59,/);
    await shot(page, 'live-curves');
    await close();
  });

  test('shows an idle gateway', async () => {
    const quiet = await fakeConsole({ ...operating, 'GET /admin/v1/live': idle });
    const { page, close } = await openView(browser, `${quiet.url}/app/operator/live`);
    await page.getByText('No requests right now.').waitFor();
    await shot(page, 'live-idle');
    await expect.poll(() => page.getByText('Waiting:').count()).toBe(0);
    await close();
    await quiet.close();
  });
});

describe('upstreams', () => {
  test('an operator adds one with only a key, and the page tests it at once', async () => {
    const { page, complaints, close } = await openView(browser, `${console.url}/app/operator/upstreams`);
    await page.getByRole('link', { name: 'Add an upstream' }).click();
    await page.getByLabel('Search providers').fill('moon');
    await page.getByRole('link', { name: 'Moonshot' }).click();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('moonshot-2');
    await page.getByRole('button', { name: 'Add and test' }).click();
    await page.getByText('This field is required').waitFor();
    await page.getByLabel('API key').fill('${MOONSHOT_API_KEY}');
    await page.getByRole('button', { name: 'Add and test' }).click();
    await page.getByRole('heading', { name: 'Test passed' }).waitFor();
    await shot(page, 'upstream-tested');
    expect(console.calls.findLast(({ line }) => line === 'POST /admin/v1/upstreams')?.body).toEqual({
      name: 'moonshot-2',
      kind: 'moonshot',
      api_key: '${MOONSHOT_API_KEY}',
    });
    await page.getByRole('button', { name: 'Add models in bulk' }).click();
    await expect.poll(() => page.getByRole('checkbox', { name: 'acme/chat' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Select models with a known price' }).click();
    await page.getByRole('checkbox', { name: 'kimi-k2', exact: true }).check();
    await page.getByRole('button', { name: 'Add 2 models' }).click();
    await page.getByText('Enter a price').first().waitFor();
    await page.getByLabel('kimi-k2: Input price').fill('1');
    await page.getByLabel('kimi-k2: Output price').fill('2.5');
    await shot(page, 'add-many-models');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add 2 models' }).click();
    await page.getByText('2 models added').waitFor();
    const route = (model: string) => ({ id: model, routes: [{ upstream: 'moonshot', model }] });
    expect(console.calls.findLast(({ line }) => line === 'POST /admin/v1/model-batches')?.body).toEqual({
      models: [
        {
          ...route('kimi-k2-0711-preview'),
          price: {
            input: '0.60',
            output: '2.50',
            cached_input: '0.15',
            source: expect.stringMatching(/^table of chat-gateway, 20/),
          },
          context_window: 131_072,
        },
        { ...route('kimi-k2'), price: { input: '1', output: '2.5' } },
      ],
    });
    await page.getByRole('link', { name: 'kimi-k2', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Add a model' }).waitFor();
    await expect.poll(() => page.getByLabel('ID', { exact: false }).first().inputValue()).toBe('kimi-k2');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a failed test shows the error', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/deepseek`);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The provider refuses the credential.').waitFor();
    await expect.poll(() => page.getByText('Status 401').isVisible()).toBe(true);
    await shot(page, 'upstream-test-failed');
    await close();
  });

  test('one from the configuration file can be tested but not changed', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/deepseek?edit=1`);
    await page.getByText('This upstream is set in the configuration file.').waitFor();
    await page.getByRole('button', { name: 'Test' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'More' }).count()).toBe(0);
    await close();
  });

  test('an operator rotates a key without seeing it', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/moonshot`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rotate key' }).click();
    await page.getByRole('dialog').getByLabel('API key').fill('one\ntwo');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    await page.getByText('The new key is in use').waitFor();
    const { body } = console.calls.findLast(({ line }) => line.endsWith('/moonshot/keys')) ?? {};
    expect(body).toEqual({ api_keys: ['one', 'two'] });
    await close();
  });

  test('one that models use cannot be removed, and the page names the models', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/upstreams/moonshot`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The upstream `moonshot` is used by `acme/chat`.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/operator/upstreams/moonshot');
    await close();
  });

  test('a read-only operator sees no controls for changes', async () => {
    const session = { ...signedIn, operator: 'read-only' };
    const reading = await fakeConsole({ ...operating, 'GET /auth/session': session });
    const { page, close } = await openView(browser, `${reading.url}/app/operator/upstreams/moonshot?edit=1`);
    await page.getByRole('heading', { level: 1, name: 'moonshot' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Edit|Test|More|Save/ }).count()).toBe(0);
    await page.goto(`${reading.url}/app/operator/upstreams?add=choose`);
    await page.getByRole('heading', { level: 1, name: 'Upstreams' }).waitFor();
    await close();
    await reading.close();
  });
});

describe('models and routes', () => {
  const sent = () => {
    const { body } = console.calls.findLast(({ line }) => line.startsWith('PUT /admin/v1/models/')) ?? {};
    return body as { routes: unknown };
  };

  test('an operator reorders routes with the keyboard and sets constraints, and the request keeps all other settings', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/models/acme%2Fchat?edit=1`);
    const handle = page.getByRole('button', { name: 'Route 2 of 3: moonshot' });
    await handle.focus();
    await page.keyboard.press('ArrowUp');
    await page.getByText('moonshot is now 1 of 3').waitFor({ state: 'attached' });
    await page.waitForFunction("document.activeElement?.getAttribute('aria-label')?.startsWith('Route 1 of 3')");
    const choose = async (field: string, choice: string) => {
      await page.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name: choice }).click();
    };
    await page.getByRole('button', { name: 'Advanced 3 set' }).click();
    await choose('Strict arguments', 'Gateway');
    await choose('Prompt caching', 'When it saves money');
    await page.getByLabel('Max re-prompts').fill('3');
    await page.getByLabel('Description').fill('Fast. 快');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(sent()).toMatchObject({
      guarantees: { strict: 'gateway' },
      cache: 'auto',
      tools: { attempts: 3 },
      description: 'Fast. 快',
    });
    expect(sent().routes).toEqual([
      { upstream: 'moonshot', model: 'kimi-k2' },
      { upstream: 'deepseek', model: 'deepseek-chat', priority: 1 },
      { upstream: 'local', model: 'qwen3', priority: 2, weight: 3 },
    ]);
    await close();
  });

  test('an operator reorders routes by dragging', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/models/acme%2Fchat?edit=1`);
    const from = page.getByRole('button', { name: 'Route 1 of 3: deepseek' });
    await from.dragTo(page.getByRole('button', { name: 'Route 2 of 3: moonshot' }));
    await page.getByRole('button', { name: 'Route 2 of 3: deepseek' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Route 1 of 3: moonshot' }).count()).toBe(1);
    await close();
  });

  test('the page does not send a price that is not a decimal number', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/models/acme%2Fchat?edit=1`);
    const before = console.calls.filter(({ line }) => line.startsWith('PUT')).length;
    await page.getByRole('textbox', { name: 'Output', exact: true }).fill('1,5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be a decimal number').waitFor();
    expect(console.calls.filter(({ line }) => line.startsWith('PUT')).length).toBe(before);
    await close();
  });

  test('the catalog as a key sees it names the hidden models', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/models?view=key`);
    await page.getByRole('combobox', { name: 'Account' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    await page.getByRole('combobox', { name: 'Key' }).click();
    await page.getByRole('option', { name: /production/ }).click();
    await page.getByRole('combobox', { name: 'Domain' }).fill('api.example.com');
    await page.getByText('The site default shows 1 model.').waitFor();
    await page.getByText('1 model is hidden from it').waitFor();
    expect(new URL(page.url()).searchParams.get('key')).toBe('key_1');
    await close();
  });

  test('is shown in Chinese', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/operator/models`, { language: 'zh' });
    await page.getByRole('heading', { level: 1, name: '模型与路由' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: '添加模型' }).isVisible()).toBe(true);
    await shot(page, 'routes-zh');
    await close();
  });
});
