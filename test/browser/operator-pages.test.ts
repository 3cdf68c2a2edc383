import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import { type FakeConsole, fakeConsole, refusal, signedIn } from './fake-console.ts';
import { acme, operatorReplies } from './operator-replies.ts';
import { key, ownerReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectGoodLooks, openView, shot, type View, type ViewOptions, walkThrough } from './view.ts';

let browser: Browser;
let console: FakeConsole;
let walk: (address: string) => Promise<View>;

beforeAll(async () => {
  browser = await sharedChromium();
  walk = walkThrough(browser);
  console = await fakeConsole(operatorReplies);
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

async function openOperatorPage(path: string, options: ViewOptions, at: FakeConsole = console) {
  return openView(browser, `${at.url}/app/operator/${path}`, options);
}

describe('a key that an operator creates', () => {
  test('comes with code for a model of its account, a free one if the account has no balance', async () => {
    const secret = 'gwk_live_0123456789abcdefghijklmnopqrstuvwxyzAB';
    const made = { ...key({ id: 'key_9', name: 'Robot' }), secret };
    const balance = {
      currency: 'USD',
      total: '0',
      granted: '0',
      topped_up: '0',
      spendable: '0',
      reserved: '0',
      billing: 'prepaid',
      open_amount: '0.00',
    };
    const shop = await fakeConsole({
      ...operatorReplies,
      'POST /admin/v1/keys': made,
      'GET /account/v1/models': ownerReplies['GET /account/v1/models'],
      'GET /account/v1/balance': balance,
    });
    const { page, close } = await openOperatorPage(`accounts/${acme.id}?tab=keys`, {}, shop);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Robot');
    const read = page.waitForRequest('**/account/v1/models');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    expect((await read).headers()['x-account']).toBe(acme.id);
    await dialog.getByText('curl -N https://api.example.com/anthropic/v1/messages').waitFor();
    await dialog.getByText('"model": "draft"').waitFor();
    await shot(page, 'operator-key-made');
    await close();
    await shop.close();
  });
});

/** The body of the last request with this method and path. */
function sentTo(line: string): unknown {
  return console.calls.findLast((each) => each.line === line)?.body;
}

interface ViewCase {
  readonly name: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
}

/** Tables of the same kind, checked with each colour scheme and each screen once. */
const tables: readonly ViewCase[] = [
  { name: 'operator-usage', path: 'usage', ready: (page) => page.getByRole('cell', { name: 'acc_gone' }).waitFor() },
  { name: 'operators', path: 'people/operators', ready: (page) => page.getByText('李小龙').waitFor() },
  { name: 'links', path: 'people/links', ready: (page) => page.getByText('Owner of acme').waitFor() },
  { name: 'codes', path: 'codes', ready: (page) => page.getByText('12 of 100').waitFor() },
  { name: 'tokens', path: 'people/tokens', ready: (page) => page.getByText('Terraform').waitFor() },
];

const views: readonly ViewCase[] = [
  { name: 'operator-overview', path: 'overview', ready: (page) => page.getByText('Lowest balances').waitFor() },
  { name: 'sites', path: 'sites', ready: (page) => page.getByText('Acme Partners').waitFor() },
  {
    name: 'site',
    path: 'sites?site=partners',
    ready: (page) => page.getByRole('dialog').getByText('Anyone can sign up').waitFor(),
  },
  { name: 'packages', path: 'packages', ready: (page) => page.getByText('8 × the share of free').waitFor() },
  {
    name: 'package',
    path: 'packages?package=pro',
    ready: (page) => page.getByRole('dialog').getByText('4 slots for every 1 of the other').waitFor(),
  },
  { name: 'accounts', path: 'accounts', ready: (page) => page.getByRole('link', { name: 'acme' }).waitFor() },
  { name: 'account', path: `accounts/${acme.id}`, ready: (page) => page.getByText('acme-small').waitFor() },
  {
    name: 'account-ledger',
    path: `accounts/${acme.id}?tab=ledger`,
    ready: (page) => page.getByText('INV-2026').waitFor(),
  },
  {
    name: 'account-keys',
    path: `accounts/${acme.id}?tab=keys`,
    ready: (page) => page.getByText('Production').waitFor(),
  },
  {
    name: 'account-members',
    path: `accounts/${acme.id}?tab=members`,
    ready: (page) => page.getByText('Grace Hopper').waitFor(),
  },
  {
    name: 'people',
    path: 'people',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
      await page.getByRole('menuitem', { name: 'Create reset link' }).click();
      await page.getByRole('radio', { name: 'Password and two-factor authentication' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.getByLabel('Reset link for grace@acme.example').waitFor();
    },
  },
  {
    name: 'audit',
    path: 'audit',
    ready: async (page) => {
      await page.getByRole('button', { name: /changed the package pro/ }).click();
      await page.getByText('spec.weight').waitFor();
    },
  },
  {
    name: 'system',
    path: 'system',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Verify the ledger' }).click();
      await page.getByText('No discrepancies found').waitFor();
      const refused = page.getByRole('table', { name: 'Charges that could not be booked' });
      await refused.getByRole('row', { name: /Not booked.*acme/ }).waitFor();
      await refused.getByRole('row', { name: /Booked later.*acc_9/ }).waitFor();
    },
  },
];

async function expectGood({ name, path, ready }: ViewCase): Promise<void> {
  const view = await walk(`${console.url}/app/operator/${path}`);
  await ready(view.page);
  await expectGoodLooks(view, name);
}

describe.each(views)("the operator's view $name", (view) => {
  test('is accessible, fits the screen and breaks no policy', () => expectGood(view));
});

describe.each(tables)("the operator's table $name", (view) => {
  test('is accessible, fits the screen and breaks no policy', () => expectGood(view));
});

describe('an operator', () => {
  test('adds a site, and the page sends only the values that differ from the defaults', async () => {
    const { page, close } = await openOperatorPage('sites', {});
    await page.getByRole('button', { name: 'Add a site' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('lab');
    await page.getByRole('button', { name: 'Add site' }).click();
    await page.getByText('Enter at least one domain').waitFor();
    await page.getByPlaceholder('Type a domain').fill('lab.example.com');
    await page.getByRole('button', { name: 'Add site' }).click();
    await page.getByText('Site lab added').waitFor();
    expect(sentTo('POST /admin/v1/sites')).toEqual({ name: 'lab', domains: ['lab.example.com'], models: ['*'] });
    await close();
  });

  test("closes a site's sign-up, and the page keeps all its other settings", async () => {
    const { page, close } = await openOperatorPage('sites?site=partners', {});
    await page.getByRole('switch', { name: 'Anyone can sign up' }).click({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const sent = sentTo('PUT /admin/v1/sites/partners') as Record<string, unknown>;
    const kept = { title: 'Acme Partners', honour_stream_false: true, messages_bearer: true };
    expect(sent).toMatchObject({ name: 'partners', ...kept });
    expect(sent).not.toHaveProperty('sign_up');
    await close();
  });

  test('sees settings from the configuration file, but cannot change them', async () => {
    const { page, close } = await openOperatorPage('sites?site=main', {});
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Change it in the file').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await expect.poll(() => dialog.getByRole('button', { name: 'Remove' }).count()).toBe(0);
    await close();
  });

  test('credits an account with kind, amount, reference and reason', async () => {
    const { page, close } = await openOperatorPage(`accounts/${acme.id}`, {});
    await page.getByRole('button', { name: 'Add credit' }).click();
    const dialog = page.getByRole('dialog');
    await page.getByRole('textbox', { name: 'Amount in USD' }).fill('-5');
    await dialog.getByRole('button', { name: 'Add credit' }).click();
    await page.getByText('Only an adjustment can be negative').waitFor();
    await page.getByRole('textbox', { name: 'Amount in USD' }).fill('25');
    await page.getByRole('textbox', { name: 'Reference' }).fill('INV-9');
    await page.getByRole('textbox', { name: 'Reason' }).fill('welcome');
    await page.getByText('New balance: $437.86').waitFor();
    await page.route('**/credits', (route) => route.fulfill({ json: { is_new: false } }), { times: 1 });
    await dialog.getByRole('button', { name: 'Add credit' }).click();
    await page.getByText('This reference was already used').waitFor();
    await page.getByRole('textbox', { name: 'Reference' }).fill('INV-10');
    await dialog.getByRole('button', { name: 'Add credit' }).click();
    await page.getByText('$25.00 added').waitFor();
    expect(sentTo(`POST /admin/v1/accounts/${acme.id}/credits`)).toEqual({
      kind: 'grant',
      amount: '25',
      reference: 'INV-10',
      reason: 'welcome',
    });
    await close();
  });

  test('suspends an account after a confirmation', async () => {
    const { page, close } = await openOperatorPage(`accounts/${acme.id}`, {});
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('acme is suspended').waitFor();
    expect(console.calls.map(({ line }) => line)).toContain(`POST /admin/v1/accounts/${acme.id}/suspend`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    await dialog.getByRole('checkbox', { name: 'Also abort running requests' }).check();
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(console.calls.map(({ line }) => line)).toContain(`POST /admin/v1/accounts/${acme.id}/terminate`);
    await close();
  });

  test('views an account as its owner, under a banner that shows this', async () => {
    const { page, close } = await openOperatorPage(`accounts/${acme.id}`, {});
    await page.getByRole('button', { name: 'View as this account' }).click();
    await page.waitForURL('**/app/overview');
    await page.getByText('Viewing acme as its owner').waitFor();
    await page.getByRole('button', { name: 'Stop viewing' }).click();
    await page.getByText('Viewing acme as its owner').waitFor({ state: 'detached' });
    await close();
  });

  test('a read-only operator sees no controls for changes', async () => {
    const watched = await fakeConsole({
      ...operatorReplies,
      'GET /auth/session': { ...signedIn, operator: 'read-only' },
    });
    const { page, close } = await openOperatorPage(`accounts/${acme.id}`, {}, watched);
    await page.getByRole('button', { name: 'View as this account' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Add credit' }).count()).toBe(0);
    await close();
    await watched.close();
  });

  test('sees why a change was refused', async () => {
    const strict = await fakeConsole({
      ...operatorReplies,
      'PUT /admin/v1/packages/pro': refusal(400, reason('invalid_fields'), 'invalid_request', [
        { field: 'models', ...broken('list_too_short', { min: 1 }) },
      ]),
    });
    const { page, close } = await openOperatorPage('packages?package=pro', {}, strict);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('“Models” must have 1 or more entries.').waitFor();
    await close();
    await strict.close();
  });

  test('sees which invariant of the ledger is violated', async () => {
    const broken = await fakeConsole({
      ...operatorReplies,
      'POST /admin/v1/ledger/verify': {
        is_valid: false,
        checks: [{ title: 'no request is charged twice', count: 2, violations: ['req_1 2'] }],
      },
    });
    const { page, close } = await openOperatorPage('system', {}, broken);
    await page.getByRole('button', { name: 'Verify the ledger' }).click();
    await page.getByText('Discrepancies found').waitFor();
    await page.getByText('req_1 2').waitFor();
    await close();
    await broken.close();
  });
});

describe('in Chinese', () => {
  let walkInChinese: (address: string) => Promise<View>;
  beforeAll(() => {
    walkInChinese = walkThrough(browser, { language: 'zh' });
  });

  test.each(['sites', 'packages', 'accounts', `accounts/${acme.id}`, 'audit', 'system'])(
    "the operator's page %s is shown in Chinese",
    async (path) => {
      const { page, complaints } = await walkInChinese(`${console.url}/app/operator/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await shot(page, `zh-${path.replace('/', '-')}`);
      expect(complaints).toEqual([]);
    },
  );
});
