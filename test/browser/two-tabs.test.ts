import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeSmtp, type FakeSmtp } from '../fakes/fake-smtp.ts';
import { submitSignUp, type Console, openConsole, owner } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectGoodLooks } from './view.ts';

let browser: Browser;
let console: Console;
let mailServer: FakeSmtp;

beforeAll(async () => {
  browser = await sharedChromium();
  mailServer = await fakeSmtp();
  const at = { host: '127.0.0.1', port: mailServer.port, security: 'none', url: 'http://localhost' };
  const mail = { ...at, from: 'gateway@example.com' };
  console = await openConsole(browser, { change: (base) => ({ ...base, mail }) });
  await invite('grace@example.com', 'Grace Hopper');
});

afterAll(async () => {
  await console?.close();
  mailServer?.close();
  await closeWindows(browser);
});

describe('a form keeps the changes of another tab, and asks about two values of one field', () => {
  test('when it renames an account', async () => {
    const { page } = console;
    await console.go('/app/settings/members', 'Members');
    await page.getByRole('button', { name: 'Rename account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('北风实验室');
    await fromOtherTab('PATCH', '/account/v1/account', { display_name: 'Nordwind' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await changesIn(dialog)).toEqual([['Name', '北风实验室', 'Nordwind']]);
    await expectGoodLooks(console, 'conflict-rename');
    // The form is still there, so the name that is saved is the one in its field.
    await dialog.getByRole('textbox', { name: 'Name' }).fill('北风');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('北风', { exact: true }).first().waitFor();
  });

  test('when it changes a role', async () => {
    const { page } = console;
    await console.go('/app/settings/members', 'Members');
    const dialog = await openAction('Grace Hopper', 'Change role');
    await dialog.getByRole('radio', { name: 'Owner' }).check();
    await fromOtherTab('PATCH', `/account/v1/members/${await idOf('/account/v1/members', 'Grace Hopper')}`, {
      role: 'viewer',
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await changesIn(dialog)).toEqual([['Role', 'Owner', 'Viewer']]);
    await dialog.getByRole('alert').getByRole('radio', { name: 'Viewer' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /Grace Hopper/ })
      .getByText('Viewer')
      .waitFor();
  });

  test('when an operator renames a person', async () => {
    await console.go('/app/operator/people', 'Users');
    const dialog = await openAction('Grace Hopper', 'Rename');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('格蕾丝');
    await fromOtherTab('PATCH', `/admin/v1/people/${await idOf('/admin/v1/people', 'Grace Hopper')}`, {
      name: 'Admiral Hopper',
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await changesIn(dialog)).toEqual([['Name', '格蕾丝', 'Admiral Hopper']]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await console.page.getByRole('row', { name: /格蕾丝/ }).waitFor();
  });

  test('when it edits a webhook', async () => {
    const webhook = { name: 'Pager', url: 'https://hooks.example.com/a', events: ['key.created', 'balance.low'] };
    const { id } = await fromOtherTab('POST', '/account/v1/webhooks', webhook);
    await console.go('/app/alerts', 'Budgets and alerts');
    const dialog = await openAction('Pager', 'Edit');
    await dialog.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.com/b');
    await fromOtherTab('PATCH', `/account/v1/webhooks/${String(id)}`, { events: null, is_on: false });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await console.page
      .getByText('You changed Events to All events except single requests, Status to Paused in another tab')
      .waitFor();
    await dialog.waitFor({ state: 'detached' });
    const { data } = (await fromOtherTab('GET', '/account/v1/webhooks')) as { data: readonly object[] };
    expect(data[0]).toMatchObject({ url: 'https://hooks.example.com/b', events: null, status: 'paused' });
  });

  test('when it sets the low balance, which keeps the typed value while other alert settings are saved', async () => {
    const { page } = console;
    await console.go('/app/alerts', 'Budgets and alerts');
    const low = page.getByRole('textbox', { name: 'Alert threshold' });
    const saves = page.getByRole('button', { name: 'Save' });
    await low.fill('7.50');
    await page.getByText('Weekly', { exact: true }).click();
    await saves.last().click();
    await page.getByText('Saved').first().waitFor();
    await expect.poll(() => low.inputValue()).toBe('7.50');
    await saves.first().click();
    await expect.poll(async () => (await fromOtherTab('GET', '/account/v1/alerts')).low_balance).toBe('7.50');
    await low.fill('8');
    await fromOtherTab('PATCH', '/account/v1/alerts', { low_balance: '9' });
    await saves.first().click();
    expect(await changesIn(page.locator('main'))).toEqual([['Alert threshold', '8', '9.00']]);
    await expectGoodLooks(console, 'conflict-low-balance');
    await page.getByRole('radio', { name: '9.00' }).check();
    await saves.first().click();
    await expect.poll(() => low.inputValue()).toBe('9.00');
  });
});

/** Invites a person to the account, and accepts the invitation. */
async function invite(email: string, name: string): Promise<void> {
  const { link } = await fromOtherTab('POST', '/account/v1/invitations', { email, role: 'member' });
  const guest = await console.another(String(link));
  await submitSignUp(guest.page, { name, password: owner.password });
  await guest.close();
}

/** Sends a request as another tab of the same browser. */
async function fromOtherTab(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
  const init = {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  };
  const reply = await console.page.evaluate<{ status: number; text: string }>(
    `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then(async (reply) => ({ status: reply.status, text: await reply.text() }))`,
  );
  expect(reply.status, reply.text).toBe(200);
  return JSON.parse(reply.text) as Readonly<Record<string, unknown>>;
}

async function idOf(path: string, name: string): Promise<string> {
  const { data } = (await fromOtherTab('GET', path)) as unknown as { data: readonly { id: string; name: string }[] };
  return String(data.find((each) => each.name === name)?.id);
}

async function openAction(name: string, action: string): Promise<Locator> {
  await console.page.getByRole('button', { name: `Actions for ${name}` }).click();
  await console.page.getByRole('menuitem', { name: action }).click();
  return console.page.getByRole('dialog');
}

/** The rows of the notice: the label of the field, the typed value and the stored value. */
async function changesIn(container: Locator): Promise<readonly (readonly string[])[]> {
  const notice = container.getByRole('alert').filter({ hasText: 'You changed the same fields elsewhere' });
  await notice.getByText('in another tab or session').waitFor();
  const rows = await notice.getByRole('row').allInnerTexts();
  return rows.slice(1).map((row) => row.split('\t').map((cell) => cell.trim()));
}
