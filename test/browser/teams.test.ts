import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type FakeConsole, fakeConsole, signedIn } from './fake-console.ts';
import { acme, operatorReplies } from './operator-replies.ts';
import { ownerReplies } from './owner-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { bills, monthly, organisation, organisationMembers, unlimited } from './team-replies.ts';
import { closeWindows, expectGoodLooks, openView, shot, type View, walkThrough } from './view.ts';

let browser: Browser;
let console: FakeConsole;
let walk: (address: string) => Promise<View>;

const member = {
  id: 'usr_2',
  email: 'grace@example.com',
  name: 'Grace Hopper',
  role: 'member',
  since: '2026-02-01T10:00:00.000Z',
  version: 'v1',
  ...unlimited,
  ...monthly,
  keys: 2,
};
const limited = { ...acme, ...monthly, organisation_id: 'org_1', organisation: 'acme-group' };
const rows = { data: [limited, { ...acme, id: 'acc_2', name: 'globex', billing: 'postpaid' }], next: null };
const own = '/account/v1/organisation';
const path = '/admin/v1/organisations/org_1';

const [key] = ownerReplies['GET /account/v1/keys'].data;
const firstKey = { ...key, member_id: member.id, member: member.email };
const newKey = { ...firstKey, id: 'key_9', name: 'Pipeline', secret: 'gwk_live_made' };

const replies = {
  ...operatorReplies,
  ...ownerReplies,
  'GET /auth/session': {
    ...signedIn,
    organisations: [
      { id: 'org_1', name: 'Acme Group', role: 'owner' },
      { id: 'org_2', name: 'Initech', role: 'viewer' },
    ],
  },
  'GET /account/v1/account': { ...ownerReplies['GET /account/v1/account'], ...monthly, billing: 'postpaid' },
  'GET /account/v1/balance': {
    ...ownerReplies['GET /account/v1/balance'],
    billing: 'postpaid',
    total: '-96.30',
    open_amount: '96.30',
    spendable: null,
  },
  'GET /account/v1/members': { data: [member] },
  'PATCH /account/v1/members/usr_2': member,
  'DELETE /account/v1/members/usr_2': {
    ...member,
    known_keys: [{ id: 'key_7', name: 'Shared pipeline', account_id: 'acc_1' }],
    known_webhooks: [{ id: 'whk_7', name: 'Billing hook', account_id: 'acc_1' }],
  },
  'POST /account/v1/keys/key_7/revoke': { ...firstKey, id: 'key_7' },
  'DELETE /account/v1/webhooks/whk_7': ownerReplies['GET /account/v1/webhooks'].data[0],
  'GET /account/v1/invitations': { data: [] },
  'GET /account/v1/keys': { data: [firstKey], next: null },
  'POST /account/v1/keys': newKey,
  'PATCH /account/v1/keys/key_1': firstKey,
  [`GET ${own}`]: organisation,
  [`GET ${own}/accounts`]: rows,
  [`GET ${own}/members`]: organisationMembers,
  [`GET ${own}/invitations`]: { data: [] },
  [`GET ${own}/bills`]: { data: bills },
  [`GET ${own}/bills/2026-10`]: bills[1],
  'GET /admin/v1/organisations': { data: [organisation], next: null },
  'POST /admin/v1/organisations': organisation,
  [`GET ${path}`]: organisation,
  [`PATCH ${path}`]: organisation,
  [`GET ${path}/members`]: organisationMembers,
  [`GET ${path}/invitations`]: { data: [] },
  [`GET ${path}/bills`]: { data: bills },
  'GET /admin/v1/accounts': rows,
  [`GET /admin/v1/accounts/${acme.id}`]: limited,
  [`PATCH /admin/v1/accounts/${acme.id}`]: limited,
};

beforeAll(async () => {
  browser = await sharedChromium();
  walk = walkThrough(browser);
  console = await fakeConsole(replies);
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

/** The body of the last request with this method and path. */
function sentTo(line: string): unknown {
  return console.calls.findLast((each) => each.line === line)?.body;
}

/** The organisation that the last request named. */
function lastFor(line: string): string | undefined {
  return console.calls.findLast((each) => each.line === line)?.organisation;
}

const views = [
  { name: 'organisations', at: 'operator/organisations', text: 'acme-group' },
  { name: 'organisation', at: 'operator/organisations/org_1', text: 'Vera Rubin' },
  { name: 'own-organisation', at: 'organisation', text: 'Vera Rubin' },
  { name: 'organisation-bill', at: 'organisation/2026-10', text: 'Research' },
  { name: 'account-with-limits', at: `operator/accounts/${acme.id}`, text: 'Postpaid' },
  { name: 'postpaid-billing', at: 'billing', text: 'Open amount' },
  { name: 'members-with-limits', at: 'settings/members', text: 'Grace Hopper' },
];

describe.each(views)('the page $name', ({ name, at, text }) => {
  test('is accessible, fits the screen and breaks no policy', async () => {
    const view = await walk(`${console.url}/app/${at}`);
    if (name === 'account-with-limits') await view.page.getByText('This month').waitFor();
    else await view.page.getByText(text).first().waitFor();
    await expectGoodLooks(view, name);
  });
});

test('an operator makes an account postpaid with a limit per day, and the other limits stay', async () => {
  const view = await openView(browser, `${console.url}/app/operator/accounts/${acme.id}`);
  const { page } = view;
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Billing and limits' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Postpaid' }).click();
  await dialog.getByRole('textbox', { name: 'Per day' }).fill('20');
  await shot(page, 'account-limits-dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(sentTo(`PATCH /admin/v1/accounts/${acme.id}`)).toEqual({
    billing: 'postpaid',
    limits: [
      { amount: '20', period: 'day', notify_at: ['0.8'] },
      { amount: '1000.00', period: 'month', notify_at: ['0.8'] },
    ],
    organisation: 'org_1',
  });
  await view.close();
});

test('an owner limits the keys of a member, and a wrong amount is refused before it is sent', async () => {
  const view = await openView(browser, `${console.url}/app/settings/members`);
  const { page } = view;
  await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Limits and models' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Per week' }).fill('much');
  await dialog.getByText('Enter a number such as 25 or 0.5').waitFor();
  await dialog.getByRole('textbox', { name: 'Per week' }).fill('50');
  await dialog.getByRole('textbox', { name: 'Requests at once' }).fill('3');
  await shot(page, 'member-limits-dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(sentTo('PATCH /account/v1/members/usr_2')).toMatchObject({
    limits: [{ period: 'day' }, { amount: '50', period: 'week' }, { period: 'month' }],
    models: null,
    max_concurrency: 3,
  });
  await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByText('the keys that count for them are revoked').waitFor();
  await view.close();
});

const issued = [
  { language: 'en', menu: 'Actions for Grace Hopper', remove: 'Remove', revoke: 'Revoke', ended: 'Ended' },
  { language: 'zh', menu: /Grace Hopper/, remove: '移除', revoke: '吊销', ended: '已停用' },
] as const;

test.each(issued)('an owner who removes a member ends what the member knows: $language', async (words) => {
  const { language, menu, remove, revoke, ended } = words;
  const view = await openView(browser, `${console.url}/app/settings/members`, { language });
  const { page } = view;
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: remove }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: remove }).click();
  await dialog.getByText('Shared pipeline').waitFor();
  await expectGoodLooks(view, `member-issued-${language}`);
  const before = console.calls.length;
  await dialog.getByRole('button', { name: `${revoke} Shared pipeline` }).click();
  await dialog.getByText(ended).waitFor();
  await dialog.getByRole('button', { name: `${remove} Billing hook` }).click();
  await eventually(async () => expect(await dialog.getByText(ended).count()).toBe(2));
  const writes = console.calls.slice(before).map(({ line }) => line);
  expect(writes.filter((line) => !line.startsWith('GET'))).toEqual([
    'POST /account/v1/keys/key_7/revoke',
    'DELETE /account/v1/webhooks/whk_7',
  ]);
  await shot(page, `member-issued-ended-${language}`);
  await view.close();
});

test('an owner creates a key for another member, and lets a key count for no member', async () => {
  const view = await openView(browser, `${console.url}/app/keys`);
  const { page } = view;
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Pipeline');
  await dialog.getByRole('combobox', { name: 'Member' }).click();
  await page.getByRole('option', { name: 'Grace Hopper (grace@example.com)' }).click();
  await shot(page, 'key-member');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Pipeline').first().waitFor();
  expect(sentTo('POST /account/v1/keys')).toEqual({ name: 'Pipeline', member: 'usr_2' });
  await page.goto(`${console.url}/app/keys`);
  await page.getByRole('button', { name: 'Actions for Laptop' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const member = dialog.getByRole('combobox', { name: 'Member' });
  await member.click();
  await page.getByRole('option', { name: 'No member' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(sentTo('PATCH /account/v1/keys/key_1')).toMatchObject({ member: null });
  await view.close();
});

test('a user with a role in two organisations switches between them, and keeps the choice', async () => {
  const view = await openView(browser, `${console.url}/app/organisation`);
  const { page } = view;
  await page.getByText('Vera Rubin').waitFor();
  expect(lastFor(`GET ${own}/members`)).toBe('org_1');
  await page.getByRole('combobox', { name: 'Organisation' }).click();
  await page.getByRole('option', { name: 'Initech' }).click();
  for (const line of [`GET ${own}`, `GET ${own}/accounts`, `GET ${own}/bills`, `GET ${own}/members`]) {
    await eventually(() => expect(lastFor(line)).toBe('org_2'));
  }
  await page.getByText('Initech').first().waitFor();
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  await page.goto(`${console.url}/app/organisation/2026-10`);
  await page.getByText('Research').waitFor();
  expect(lastFor(`GET ${own}/bills/2026-10`)).toBe('org_2');
  await view.close();
});

test('an owner of an organisation opens one of its accounts', async () => {
  const view = await openView(browser, `${console.url}/app/organisation`);
  const { page } = view;
  await page.getByRole('button', { name: 'Open account globex' }).click();
  await page.waitForURL('**/app/overview');
  await view.close();
});

test('the overview of a postpaid account shows its open amount and limits, never that the balance is used up', async () => {
  const view = await openView(browser, `${console.url}/app/overview`);
  const { page } = view;
  await page.getByText('Open amount').first().waitFor();
  await page.getByText('This month').waitFor();
  expect(await page.getByText('The balance is used up').count()).toBe(0);
  await shot(page, 'postpaid-overview');
  await view.close();
});
