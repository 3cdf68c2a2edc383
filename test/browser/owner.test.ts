import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broken, type FieldProblem, reason } from 'chat-formats/reasons/reason.ts';
import { changing, fakeConsole, type FakeConsole, sequence, refusal } from './fake-console.ts';
import { key, ownerReplies, unusedReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectAccessible, expectGoodLooks, openView, shot, type View, walkThrough } from './view.ts';

const secret = 'gwk_live_0123456789abcdefghijklmnopqrstuvwxyzAB';
const changed = refusal(
  409,
  reason('changed_by_others', {
    kind: 'key',
    id: 'key_2',
    actors: 'bob@example.com',
    time: '2026-02-03T09:15:00.000Z',
    changes: '',
  }),
  'conflict',
);
const made = { ...key({ id: 'key_9', name: 'Robot' }), secret };

let browser: Browser;
let walk: (address: string) => Promise<View>;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  walk = walkThrough(browser);
  console = await fakeConsole({
    ...ownerReplies,
    'POST /account/v1/keys': made,
    'PATCH /account/v1/keys/key_1': key({ id: 'key_1', name: 'Laptop', honour_stream_false: true }),
    'PATCH /account/v1/keys/key_2': sequence(
      changed,
      key({ id: 'key_2', name: 'Build server', version: 'fedcba9876543210' }),
    ),
    'GET /account/v1/keys/key_2': { ...ownerReplies['GET /account/v1/keys'].data[1], spend_cap: '40' },
    'PATCH /account/v1/account': ownerReplies['GET /account/v1/account'],
    'POST /account/v1/keys/key_1/rotate': made,
    'POST /account/v1/keys/key_1/revoke': key({ id: 'key_1', name: 'Laptop', state: 'revoked' }),
    'POST /account/v1/keys/key_1/terminate': key({ id: 'key_1', name: 'Laptop', state: 'revoked' }),
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

const views = [
  ['overview', '/app/overview', 'Staging server'],
  ['keys', '/app/keys', 'Staging server'],
  ['models', '/app/models', 'house/large'],
  ['model', '/app/models/house%2Flarge', 'Code examples'],
  ['billing', '/app/billing', 'invoice 17'],
  ['usage', '/app/usage', 'All others'],
  ['alerts', '/app/alerts', 'Billing robot'],
  ['statement', '/app/billing/2026-01', 'Laptop'],
] as const;

describe.each(views)('%s', (name, path, text) => {
  test('is accessible, fits the screen and breaks no policy', async () => {
    const view = await walk(console.url + path);
    await view.page.getByText(text).first().waitFor();
    await expectGoodLooks(view, name);
  });
});

describe('a key that another user revokes while its form is open', () => {
  test('is shown as revoked when the form is saved', async () => {
    const [, second] = ownerReplies['GET /account/v1/keys'].data;
    const shared = await fakeConsole({
      ...ownerReplies,
      'PATCH /account/v1/keys/key_2': sequence(changed, { ...second, name: 'Build server', state: 'revoked' }),
      'GET /account/v1/keys/key_2': { ...second, state: 'revoked', revoked_at: new Date().toISOString() },
    });
    const { page, close } = await openView(browser, `${shared.url}/app/keys`);
    await page.getByRole('row', { name: 'Staging server' }).getByRole('button').last().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Build server');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. bob@example.com changed Status to Revoked; this is kept.').waitFor();
    await close();
    await shared.close();
  });
});

describe('alerts', () => {
  const { data } = ownerReplies['GET /account/v1/webhooks'];
  const gone = refusal(404, reason('webhook_not_found'), 'not_found');

  test.each<[string, (page: Page) => Promise<void>]>([
    [
      'Remove',
      async (page) => {
        const confirmation = page.getByRole('dialog', { name: 'Remove Billing robot?' });
        await confirmation.getByRole('button', { name: 'Remove' }).click();
        await confirmation.getByText('No longer exists').waitFor();
        await confirmation.getByText('There is no such webhook endpoint.').waitFor();
        expect(await confirmation.getByRole('button', { name: 'Remove' }).count()).toBe(0);
        await confirmation.getByRole('button', { name: 'Close' }).last().click();
      },
    ],
    [
      'Edit',
      async (page) => {
        const form = page.getByRole('dialog');
        await form.getByRole('textbox', { name: 'Name' }).fill('Another robot');
        await form.getByRole('button', { name: 'Save' }).click();
        await form.getByText('No longer exists').waitFor();
        await page.keyboard.press('Escape');
      },
    ],
    ['Pause', (page) => page.locator('main').getByText('No longer exists').waitFor()],
  ])('a webhook that another user has removed disappears from the list after any action: %s', async (action, act) => {
    const { answer: list, by } = changing({ data }, { data: data.slice(1) });
    const refused = by(gone);
    const shared = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/webhooks': list,
      'DELETE /account/v1/webhooks/whk_1': refused,
      'PATCH /account/v1/webhooks/whk_1': refused,
    });
    const { page, close } = await openView(browser, `${shared.url}/app/alerts`, { once: true });
    await page.clock.install();
    const row = page
      .getByRole('row', { name: 'Billing robot' })
      .filter({ hasText: 'All events except single requests' });
    await row.getByRole('button').click();
    await page.getByRole('menuitem', { name: action }).click();
    await act(page);
    await row.waitFor({ state: 'detached' });
    await expectAccessible(page);
    await close();
    await shared.close();
  });
});

describe('a range of days', () => {
  test.each([
    ['usage', '/app/usage?range=custom', 'From', '/account/v1/usage/breakdown'],
    ['billing', '/app/billing', 'First day', '/account/v1/ledger'],
  ])(
    'can be typed with the keyboard on the page %s, and is requested once it is complete',
    async (_, path, label, requestPath) => {
      const { page, close } = await openView(browser, console.url + path);
      const sinceValues: (string | null)[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname === requestPath) sinceValues.push(searchParams.get('since'));
      });
      const field = page.getByLabel(label, { exact: true });
      // The page mounts it hidden until its reads have ended, and a hidden field gets no focus.
      await field.waitFor();
      await field.focus();
      await page.keyboard.type('11112025', { delay: 40 });
      await expect.poll(() => sinceValues.at(-1)).toBe('2025-11-10T23:00:00.000Z');
      expect(await field.inputValue()).toBe('2025-11-11');
      expect(new Set(sinceValues.filter((since) => since !== null))).toEqual(new Set(['2025-11-10T23:00:00.000Z']));
      await close();
    },
  );

  test('is cleared with the other filters', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/billing?from=2025-11-11`);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.getByLabel('First day', { exact: true }).inputValue()).toBe('');
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await close();
  });
});

describe('usage', () => {
  test('names the fields of an invalid range by their labels, and replaces an interval that is too short for the range', async () => {
    const path = '/account/v1/usage/breakdown';
    const turned = { field: 'since', ...broken('not_before_end'), fix: 'Send an earlier time.' };
    const fix = 'Send a later time, or ask for `interval=day`.';
    const long = { field: 'since', ...broken('span_too_long', { max: '31 days' }), fix };
    const wrong = (problem: FieldProblem) => refusal(400, reason('invalid_fields'), 'invalid_request', [problem]);
    const refused = sequence(wrong(turned), wrong(long));
    const strict = await fakeConsole({ ...ownerReplies, [`GET ${path}`]: refused });
    const { page, close } = await openView(
      browser,
      `${strict.url}/app/usage?range=custom&since=2026-03-02&until=2026-03-01`,
    );
    await page.getByText('“From” must be before “To”. Send an earlier time.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText('“From” must be at most 31 days before “To”. Send a later time, or ask for “Daily”.')
      .waitFor();
    const requestSent = page.waitForRequest((request) => new URL(request.url()).pathname === path);
    await page.goto(`${strict.url}/app/usage?range=12m&interval=hour`);
    expect(new URL((await requestSent).url()).searchParams.get('interval')).toBe('month');
    await close();
    await strict.close();
  });
});

describe('overview', () => {
  test('shows the figures of the gateway, and keeps the range in the address', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/overview`, { once: true });
    const spend = page.getByRole('group', { name: 'Spend', exact: true });
    await spend.getByText('$6.40').waitFor();
    await expect.poll(() => spend.getByTitle('6.400000 USD').count()).toBe(1);
    await page.getByRole('radiogroup', { name: 'Time range' }).getByText('24 hours').click();
    await page.waitForURL('**/app/overview?range=24h');
    const requestSent = page.waitForRequest(/account\/v1\/overview/);
    // Some browsers report a language that their own Intl rejects.
    await page.addInitScript(
      "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
    );
    await page.reload();
    await spend.getByText('$6.40').waitFor();
    expect(new URL((await requestSent).url()).searchParams.get('interval')).toBe('hour');
    await close();
  });

  test('explains the first request to an account without requests', async () => {
    const unused = await fakeConsole(unusedReplies);
    const { page, close } = await openView(browser, `${unused.url}/app/overview`);
    await page.getByText('curl -N https://api.example.com/v1/chat/completions').waitFor();
    await shot(page, 'overview-unused');
    await page.route('**/account/v1/account', () => {});
    const answered = page.waitForResponse(/account\/v1\/overview/);
    await page.reload();
    await (await answered).finished();
    // The steps are not shown before it is known which of them are done.
    await expect.poll(() => page.getByText('First steps').count()).toBe(0);
    await page.unroute('**/account/v1/account');
    await page.reload();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
    await page.goBack();
    await page.getByText('Send your first request').waitFor();
    await close();
    await unused.close();
  });

  test('names the keys whose clients get streams instead of one body, and changes their setting', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/overview`);
    const notice = page.getByRole('status').filter({ hasText: 'honour_stream_false' });
    await notice.getByText('Some clients ask for a non-streaming response').click();
    await notice.getByText('9 of 27 requests').waitFor();
    await expect.poll(() => notice.getByText('Staging server').count()).toBe(0);
    const requestSent = page.waitForRequest((request) => request.method() === 'PATCH');
    await notice.getByRole('button', { name: 'Allow non-streaming responses: Laptop' }).click();
    expect((await requestSent).url()).toContain('/account/v1/keys/key_1');
    expect((await requestSent).postDataJSON()).toEqual({ honour_stream_false: true });
    await page.getByText('“Laptop” can now get non-streaming responses').waitFor();
    await close();
  });

  test('names the setting in Chinese too', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/overview`, { language: 'zh' });
    await page.getByText('部分客户端请求非流式响应').click();
    await page.getByText('27 次请求中的 9 次').waitFor();
    await shot(page, 'overview-zh');
    await close();
  });

  test('suggests a free model to an account without credit, and ticks off the existing key', async () => {
    const fresh = await fakeConsole({
      ...unusedReplies,
      'GET /account/v1/account': { ...unusedReplies['GET /account/v1/account'], keys: 1 },
      'GET /account/v1/balance': {
        currency: 'USD',
        total: '0',
        billing: 'prepaid',
        open_amount: '0.00',
        spendable: '0',
        granted: '0',
        topped_up: '0',
        reserved: '0',
      },
    });
    const { page, close } = await openView(browser, `${fresh.url}/app/overview`);
    await page.getByText('No credit yet').waitFor();
    await page.getByText('"model":"draft"').or(page.getByText('"model": "draft"')).first().waitFor();
    await page.getByText('(done)').waitFor({ state: 'attached' });
    await expect.poll(() => page.getByText('The balance is used up').count()).toBe(0);
    await shot(page, 'overview-no-credit');
    await close();
    await fresh.close();
  });

  test('shows on every page that the account is suspended, and that a key has reached its cap', async () => {
    const refusing = sequence(
      { ...ownerReplies['GET /account/v1/account'], status: 'suspended' },
      { ...ownerReplies['GET /account/v1/account'], low_balance: '20' },
    );
    const spent = key({ id: 'key_2', name: 'Capped', spend_cap: '25', cap_spent: '25.01', spent: '25.01' });
    const suspended = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/account': refusing,
      'GET /account/v1/keys': { data: [key({ id: 'key_1', name: 'Laptop' }), spent], next: null },
    });
    const { page, close } = await openView(browser, `${suspended.url}/app/keys`);
    await page.getByText('Acme is suspended').waitFor();
    await page
      .getByRole('row', { name: /Laptop/ })
      .getByText('Suspended')
      .waitFor();
    await shot(page, 'keys-suspended');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await page.getByText('Acme is suspended').waitFor();
    await page.goto(`${suspended.url}/app/keys`);
    await page
      .getByRole('row', { name: /Capped/ })
      .getByText('Cap reached')
      .waitFor();
    await page
      .getByRole('row', { name: /Laptop/ })
      .getByText('Active')
      .waitFor();
    // The account is active again, so the page shows that the balance is below the configured threshold.
    await page.getByText('Balance is $12.48, at or below your alert threshold of $20.00').waitFor();
    await shot(page, 'keys-low-balance');
    await expectAccessible(page);
    await close();
    await suspended.close();
  });

  test('shows that the balance is used up, and the support address', async () => {
    const poor = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/balance': {
        ...ownerReplies['GET /account/v1/balance'],
        total: '0',
        granted: '0',
        topped_up: '0',
      },
      'GET /account/v1/payments': { ...ownerReplies['GET /account/v1/payments'], is_offered: false },
    });
    const { page, close } = await openView(browser, `${poor.url}/app/overview`);
    await page.getByText('The balance is used up').waitFor();
    expect(await page.getByRole('link', { name: /help@example.com/ }).getAttribute('href')).toBe(
      'mailto:help@example.com',
    );
    await shot(page, 'overview-poor');
    await close();
    await poor.close();
  });
});

const roomForAllColumns = { width: 1800, height: 900 };

describe('keys', () => {
  test('the menu of a key switches between one body and streams', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/keys`);
    await page.setViewportSize(roomForAllColumns);
    await page.getByText('Non-streaming', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for Staging server' }).click();
    await page.getByRole('menuitem', { name: 'Always stream responses' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for Laptop' }).click();
    const requestSent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('menuitem', { name: 'Allow non-streaming responses' }).click();
    expect((await requestSent).postDataJSON()).toEqual({ honour_stream_false: true });
    await page.getByText('“Laptop” can now get non-streaming responses').waitFor();
    await close();
  });

  test('a key is edited in the form that created it, and only the version that the user saw is changed', async () => {
    const { page, complaints, close } = await openView(browser, `${console.url}/app/keys`);
    await page.setViewportSize(roomForAllColumns);
    await page.getByText('of $25.00 this month').waitFor();
    await page.getByText('4 concurrent').waitFor();
    await page.getByText('2 addresses').waitFor();
    await page.getByText('Stores bodies', { exact: true }).hover();
    await page.getByText('stored, encrypted, for 7 days').waitFor();
    await page.getByRole('button', { name: 'Actions for Staging server' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Build server');
    await dialog.getByRole('textbox', { name: 'Spend cap' }).fill('30');
    await dialog.getByRole('textbox', { name: 'Concurrent requests' }).fill('none');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a whole number').waitFor();
    await dialog.getByRole('textbox', { name: 'Concurrent requests' }).fill('8');
    await dialog.getByText('everything sent with this key is stored').scrollIntoViewIfNeeded();
    await shot(page, 'keys-edit');
    await expectAccessible(page);
    const requestSent = page.waitForRequest((request) => request.method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect((await requestSent).headers()['if-match']).toContain('0123456789abcdef');
    expect((await requestSent).postDataJSON()).toEqual({
      name: 'Build server',
      models: ['house/large', 'house/small'],
      spend_cap: '30',
      cap_period: 'month',
      max_concurrency: 8,
      addresses: ['203.0.113.0/24', '2001:db8::/32'],
      honour_stream_false: true,
      report_cost: false,
      store_bodies: true,
    });
    const conflict = dialog.getByRole('alert').filter({ hasText: 'Both of you changed the same fields' });
    await conflict.getByText('bob@example.com saved these fields').waitFor();
    await expectAccessible(page);
    await shot(page, 'keys-edit-conflict');
    expect(await conflict.getByRole('row').count()).toBe(2);
    await conflict.getByRole('radio', { name: '30' }).waitFor();
    await conflict.getByRole('radio', { name: '40' }).check();
    const savedAgain = page.waitForRequest((request) => request.method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect((await savedAgain).postDataJSON()).toMatchObject({
      name: 'Build server',
      spend_cap: '40',
      max_concurrency: 8,
    });
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Caps reset at midnight in Europe/Berlin').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('the buttons of a long form stay visible on a phone while its fields scroll', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/keys?new=key`, { screen: 'narrow' });
    const dialog = page.getByRole('dialog');
    const button = dialog.getByRole('button', { name: 'Create key' });
    await button.waitFor();
    const bottom = async () => {
      const { y = 0, height = 0 } = (await button.boundingBox()) ?? {};
      return y + height;
    };
    expect(await bottom()).toBeLessThan(844);
    await dialog.getByRole('switch').last().focus();
    expect(await bottom()).toBeLessThan(844);
    const field = await dialog.getByRole('switch').last().boundingBox();
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan((await button.boundingBox())?.y ?? 0);
    await shot(page, 'keys-create-narrow');
    await close();
  });

  test('a second save has no conflict with the first, and a user on another page sees the result of a write', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/overview`);
    await page.getByRole('link', { name: 'Keys' }).click();
    const menu = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const dialog = page.getByRole('dialog');
    const save = async (name: string) => {
      await menu(name, 'Edit…');
      const requestSent = page.waitForRequest((request) => request.method() === 'PATCH');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      return (await requestSent).headers()['if-match'];
    };
    await menu('Staging server', 'Revoke…');
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.waitForURL('**/app/keys');
    // The list is never reloaded, so the page has only the reply to the write.
    await page.route('**/account/v1/keys?*', () => {});
    expect(await save('Staging server')).toBe('"0123456789abcdef"');
    expect(await save('Build server')).toBe('"fedcba9876543210"');
    const held = Promise.withResolvers<void>();
    await page.route('**/account/v1/keys/key_1', (route) => held.promise.then(() => route.continue()));
    await menu('Laptop', 'Allow non-streaming responses');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    held.resolve();
    await page.getByText('“Laptop” can now get non-streaming responses').waitFor();
    await close();
  });

  test('a key is created with the chosen settings, and the page shows its secret and a ready command', async () => {
    const { page, complaints, close } = await openView(browser, `${console.url}/app/keys?new=key`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Robot');
    await page.getByRole('textbox', { name: 'Spend cap' }).fill('five');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a positive amount').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("aria-invalid")')).toBe('true');
    await page.getByRole('textbox', { name: 'Spend cap' }).fill('2.50');
    await page
      .getByRole('combobox', { name: 'Models' })
      .or(page.getByRole('textbox', { name: 'Models' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'house/small' }).click();
    await page.keyboard.press('Escape');
    await shot(page, 'keys-create');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Secret key' }).waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Secret key' }).inputValue()).toBe(secret);
    await expect.poll(() => page.evaluate('document.activeElement?.value')).toBe(secret);
    await page.getByText(`Authorization: Bearer ${secret}`).waitFor();
    await shot(page, 'keys-made');
    await expectAccessible(page);
    expect(console.calls.find(({ line }) => line === 'POST /account/v1/keys')?.body).toEqual({
      name: 'Robot',
      models: ['house/small'],
      spend_cap: '2.50',
    });
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('IP addresses').first().click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('a click after a failed request repeats its idempotency key, and a click after a rejection has a new one', async () => {
    const flaky = await fakeConsole({
      ...ownerReplies,
      'POST /account/v1/keys': sequence(refusal(503, 'Come back later.'), refusal(400, 'Not like this.'), made),
    });
    const { page, close } = await openView(browser, `${flaky.url}/app/keys?new=key`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Robot');
    await page.getByLabel('Expires', { exact: true }).first().click();
    await page.getByRole('option', { name: 'In 30 days' }).click();
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
    await create.click();
    await page.getByText('Come back later.').waitFor();
    await create.click();
    await page.getByText('Not like this.').waitFor();
    await create.click();
    await page.getByRole('textbox', { name: 'Secret key' }).waitFor();
    const [first, again, other] = flaky.calls.filter(({ line }) => line === 'POST /account/v1/keys');
    expect(first?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toEqual(first);
    expect(other?.idempotencyKey).not.toBe(first?.idempotencyKey);
    await close();
    await flaky.close();
  });

  test('a key requested without a network is not created later, and no figures of another range are shown', async () => {
    const { page, context, close } = await openView(browser, `${console.url}/app/overview`);
    await page.getByText('$6.40').first().waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Lost');
    const before = console.calls.length;
    await context.setOffline(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('The gateway did not respond').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('radiogroup', { name: 'Time range' }).getByText('30 days').click();
    await page.getByRole('alert').getByText('The gateway did not respond').waitFor();
    await expect.poll(() => page.getByText('$6.40').count()).toBe(0);
    await context.setOffline(false);
    await page.getByText('$6.40').first().waitFor();
    expect(console.calls.slice(before).map(({ line }) => line)).not.toContain('POST /account/v1/keys');
    await close();
  });

  test('two clicks before the page changes create one key', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/keys?new=key`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Twice');
    const button = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
    await button.evaluate((element: { click(): void }) => {
      element.click();
      element.click();
    });
    await page.getByRole('textbox', { name: 'Secret key' }).waitFor();
    const created = console.calls.filter(({ body }) => (body as { name?: string })?.name === 'Twice');
    expect(created).toHaveLength(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have copied it' }).waitFor();
    await close();
  });

  test('a key is rotated with a grace period, and the page shows the new secret', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/keys`);
    await page.getByRole('button', { name: 'Actions for Laptop' }).click();
    await page.getByRole('menuitem', { name: 'Rotate…' }).click();
    await page.getByRole('radio', { name: 'In an hour' }).check();
    await shot(page, 'keys-rotate');
    await page.getByRole('button', { name: 'Create new key' }).click();
    await page.getByRole('textbox', { name: 'Secret key' }).waitFor();
    expect(console.calls.find(({ line }) => line.endsWith('/key_1/rotate'))?.body).toEqual({ grace: '1h' });
    await close();
  });

  test.each([
    ['revoke', false],
    ['terminate', true],
  ] as const)('a key is ended by %s after a confirmation', async (action, areStreamsTerminated) => {
    const { page, close } = await openView(browser, `${console.url}/app/keys`);
    await page.getByRole('button', { name: 'Actions for Laptop' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    if (areStreamsTerminated) await page.getByRole('checkbox', { name: 'Also abort running requests' }).check();
    await shot(page, `keys-${action}`);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('“Laptop” is revoked').waitFor();
    expect(console.calls.map(({ line }) => line)).toContain(`POST /account/v1/keys/key_1/${action}`);
    await close();
  });

  test('revoked keys are shown on request only', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/keys`);
    await page.getByText('Laptop').waitFor();
    await expect.poll(() => page.getByText('Old script').count()).toBe(0);
    await page.getByRole('switch', { name: 'Show revoked and expired keys' }).check();
    await page.getByText('Old script').waitFor();
    await page.waitForURL('**/app/keys?ended=shown');
    await close();
  });
});

describe('models', () => {
  test('are found by a part of their name, and show code for their surfaces', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/models`);
    await page.getByRole('searchbox', { name: 'Search models' }).fill('draft');
    await page.waitForURL('**/app/models?search=draft');
    await expect.poll(() => page.getByText('house/large').count()).toBe(0);
    await page.getByRole('link', { name: 'draft' }).click();
    await page.getByText('curl -N https://api.example.com/anthropic/v1/messages').waitFor();
    const client = page.getByRole('combobox', { name: 'Client' });
    const clients = await client.getByRole('option').allTextContents();
    expect(clients).toEqual(['curl', 'Anthropic SDK', 'AI SDK', 'Claude Code', 'opencode']);
    await client.selectOption('Anthropic SDK');
    await page.getByRole('combobox', { name: 'Language or API' }).selectOption('TypeScript');
    await page.getByText("import Anthropic from '@anthropic-ai/sdk'").waitFor();
    await page.reload();
    await page.getByText("import Anthropic from '@anthropic-ai/sdk'").waitFor();
    await close();
  });

  test('with a slash in their id are reached from the list', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/models`);
    await page.getByRole('link', { name: /house\/large/ }).click();
    await page.getByRole('heading', { level: 1, name: 'house/large' }).waitFor();
    await page.getByText('Thinks before it answers.').waitFor();
    await page.getByRole('img', { name: 'Spend on this model over time' }).waitFor();
    expect(await page.getByRole('row', { name: /^First token p50/ }).innerText()).toMatch(/480ms\s+520ms\s+1\.4s/);
    expect(await page.getByRole('row', { name: /^Tokens\/s p50/ }).innerText()).toMatch(/92\s+87\s+64/);
    expect(await page.getByRole('row', { name: /^Uptime/ }).innerText()).toMatch(/100%\s+99\.8%\s+94\.1%/);
    await page.getByRole('combobox', { name: 'Client' }).selectOption('Claude Code');
    await page.getByText('export ANTHROPIC_BASE_URL="https://api.example.com/anthropic"').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'house/large' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/models/house%2Flarge');
    await close();
  });
});

describe('the automatic top-up', () => {
  const topUp = ownerReplies['GET /account/v1/auto-top-up'];

  test('a paused top-up shows its reason and what to do, and an owner resumes it or removes the card', async () => {
    const paused = { ...topUp, pause: { reason: 'expired_card', at: '2026-02-03T09:15:00.000Z' } };
    const { answer: read, by } = changing(paused, topUp);
    const removed = { ...topUp, card: null };
    const shared = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/auto-top-up': read,
      'PUT /account/v1/auto-top-up': by(topUp),
      'DELETE /account/v1/card': removed,
    });
    const { page, close } = await openView(browser, `${shared.url}/app/billing`, { once: true });
    await page.getByText('Visa ending in 4242').waitFor();
    await page
      .getByRole('group', { name: 'Spendable' })
      .getByText(/\$12\.4/)
      .waitFor();
    await page.getByRole('group', { name: 'Reserved' }).getByText('It returns unless it is spent.').waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'Automatic top-up is paused' });
    await notice.getByText('Save another card.').waitFor();
    await shot(page, 'billing-paused');
    await expectAccessible(page);
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await notice.getByRole('button', { name: 'Resume' }).click();
    expect((await sent).postDataJSON()).toEqual(topUp.settings);
    await notice.waitFor({ state: 'detached' });
    await page.getByText('$40.00 of at most $100.00 charged this month.').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    const removal = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    expect(new URL((await removal).url()).pathname).toBe('/account/v1/card');
    await close();
    await shared.close();
  });

  test('budgets and alerts has one form for each question: the top-up, the caps of keys, the notices', async () => {
    const full = { ...topUp, charged_this_month: '90.00' };
    const shared = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/auto-top-up': full,
      'PUT /account/v1/auto-top-up': topUp,
    });
    const { page, close } = await openView(browser, `${shared.url}/app/alerts`, { once: true });
    for (const name of ['Low balance', 'Spending limits', 'Notifications'])
      await page.getByRole('heading', { name, level: 2 }).waitFor();
    await page.getByText('The monthly maximum leaves no room for another charge.').waitFor();
    const form = page.locator('form').filter({ hasText: 'At most in a month' });
    await form.getByRole('textbox', { name: 'At most in a month' }).fill('150');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await form.getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toEqual({ threshold: '5.00', amount: '20.00', monthly_max: '150' });
    const caps = page.getByRole('table', { name: 'Spend caps of keys' });
    // The key with a cap comes first, and revoked keys are left out.
    expect(await caps.getByRole('row').nth(1).textContent()).toContain('Staging server');
    expect(await caps.getByRole('row').count()).toBe(3);
    await caps.getByRole('button', { name: 'Edit the cap of Staging server' }).click();
    await page.getByRole('dialog', { name: 'Edit “Staging server”' }).getByLabel('Spend cap').waitFor();
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await close();
    await shared.close();
  });

  test('without a card the page asks for one first, and a provider that is away is named', async () => {
    const shared = await fakeConsole({
      ...ownerReplies,
      'GET /account/v1/auto-top-up': { ...topUp, card: null, settings: null },
      'POST /account/v1/card/setup': refusal(502, reason('payment_provider_unreachable'), 'upstream_error'),
    });
    const { page, close } = await openView(browser, `${shared.url}/app/alerts`, { once: true });
    await page.getByText('Save a card first.').waitFor();
    await page.getByRole('button', { name: 'Save a card' }).click();
    await page.getByText('The payment provider could not be reached.').waitFor();
    await close();
    await shared.close();
  });
});

describe('billing', () => {
  test('an owner changes the billing details, and a problem appears at its field', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/billing`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('First line\n\n  Second line ');
    await dialog.getByLabel('Country').fill('');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ address: ['First line', 'Second line'], country: null });
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Billing details saved.').waitFor();
    await close();
  });

  test('filters go to the gateway, a charge leads to its request', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/billing?kind=charge&from=2026-02-01`);
    const requestSent = page.waitForRequest(/\/account\/v1\/ledger\?.*kind=charge/);
    await page.reload();
    expect(new URL((await requestSent).url()).searchParams.get('since')).toBe('2026-01-31T23:00:00.000Z');
    await page.getByRole('link', { name: 'req_01K9Z7' }).click();
    await page.waitForURL('**/app/requests/req_01K9Z7');
    await close();
  });

  test('a refused export shows the reason', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/billing`);
    // With payments enabled, the page does not suggest an e-mail.
    await page.getByText('To top up, pay online or redeem a code below.').waitFor();
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'ledger.csv' });
    await notice.waitFor();
    expect(await notice.textContent()).toContain('There is no GET /account/v1/ledger.csv here.');
    // A receipt is downloaded in the language of the user, from the list or from the ledger.
    const pdf = { contentType: 'application/pdf', body: '%PDF-1.4' };
    await page.route('**/documents/R-2026-000017/pdf?language=en', (route) => route.fulfill(pdf));
    for (const name of ['Download R-2026-000017 as PDF', 'R-2026-000017']) {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      expect((await saved).suggestedFilename()).toBe('R-2026-000017.pdf');
    }
    // A printed statement is marked as incomplete, and omits the controls.
    const lines = ownerReplies['GET /account/v1/statements/2026-01/lines'];
    await page.route('**/2026-01/lines?*', (route) => route.fulfill({ json: { ...lines, next: 'more' } }));
    await page.goto(`${console.url}/app/billing/2026-01`);
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await expect.poll(() => page.getByText('The first 2 transactions').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await page.getByText('The first 2 transactions').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Show more' }).isVisible()).toBe(false);
    await close();
  });
});
