import { unlimited } from './team-replies.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { UpstreamHealth } from '../../packages/dashboard/src/api/wire.ts';
import { sections } from '../../packages/dashboard/src/strings/index.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changing, fakeConsole, type FakeConsole, refusal, signedIn, visitor } from './fake-console.ts';
import { key } from './owner-replies.ts';
import { models } from './request-replies.ts';
import { operating } from './operating-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectAccessible, expectGoodLooks, openView, shot, type View, walkThrough } from './view.ts';

/** Kinds of pages whose object may be deleted, and the label of their list. */
const pagesOfDeletable = [
  ['upstreams', 'Upstreams'],
  ['models', 'Models and routes'],
  ['accounts', 'All accounts'],
  ['codes', 'All batches'],
] as const;

const day = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * day).toISOString();

const foundRequest = '20260131093000123abcdefghij';

const replies = {
  'GET /account/v1/keys': { data: [key({ id: 'key_1', name: 'alpha', display: 'gwk_live_ab…yz' })], next: null },
  'GET /account/v1/models': models,
  'GET /admin/v1/accounts': { data: [], next: null },
  'GET /account/v1/search': {
    data: [
      { kind: 'key', id: 'key_1', name: 'alpha', detail: 'gwk_live_ab…yz', account_id: 'acc_1' },
      { kind: 'request', id: foundRequest, name: foundRequest, detail: null, account_id: 'acc_1' },
    ],
  },
  'GET /admin/v1/search': {
    data: [{ kind: 'account', id: 'acc_9', name: 'Initech', detail: null, account_id: null }],
  },
  'GET /auth/passkeys': { data: [{ id: 'pk_1', name: 'Chrome · macOS', created_at: ago(40) }] },
  'GET /auth/sessions': {
    data: [
      session('s1', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/130.0 Safari/537.36', true),
      session('s2', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', false),
    ],
  },
  'GET /account/v1/members': {
    data: [
      {
        id: 'usr_1',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        role: 'owner',
        since: ago(300),
        version: 'v1',
        ...unlimited,
      },
      {
        id: 'usr_2',
        email: 'grace@example.com',
        name: 'Grace Hopper',
        role: 'member',
        since: ago(80),
        version: 'v1',
        ...unlimited,
      },
    ],
  },
  'GET /account/v1/invitations': {
    data: [
      {
        id: 'inv_1',
        email: 'alan@example.com',
        role: 'viewer',
        created_by: 'ada',
        created_at: ago(1),
        expires_at: ago(-6),
      },
    ],
  },
};

function session(id: string, userAgent: string, current: boolean) {
  return {
    id,
    current,
    created_at: ago(9),
    last_used_at: ago(current ? 0 : 2),
    address: '192.0.2.7',
    user_agent: userAgent,
  };
}

const found = { data: [] };

/** Fails if the list of pages is higher than its place on the screen. */
async function expectNoScrolling(page: Page): Promise<void> {
  const list = page.getByRole('navigation', { name: 'Main navigation' });
  expect(await list.evaluate((nav) => nav.scrollHeight - nav.clientHeight)).toBeLessThanOrEqual(0);
}

let browser: Browser;
let walk: (address: string) => Promise<View>;
let inside: FakeConsole;
let outside: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  walk = walkThrough(browser);
  inside = await fakeConsole(replies);
  outside = await fakeConsole({
    'GET /auth/session': { ...visitor, oidc: { name: 'Okta' }, site: { ...visitor.site, sign_up: true } },
    'POST /auth/sign-up': { next: 'confirm' },
    'POST /auth/sign-up/again': { next: 'confirm' },
    'POST /auth/resets': { next: 'email' },
    'GET /auth/sign-ups/t3': { email: 'alan@example.com', name: 'Alan Turing' },
    'POST /auth/sign-in': refusal(401, 'The e-mail address and the password do not fit together.', 'sign_in_refused'),
    'GET /auth/setup/t0': { is_first: true },
    'GET /auth/invitations/t1': {
      email: 'alan@example.com',
      account: 'Acme',
      organisation: null,
      role: 'member',
      has_user: false,
    },
    'GET /auth/resets/t2': { email: 'alan@example.com', name: 'Alan Turing', resets: 'password' },
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await inside?.close();
  await outside?.close();
});

const pages = [
  { name: 'profile', site: () => inside, path: '/app/settings/profile', heading: 'Profile' },
  { name: 'security', site: () => inside, path: '/app/settings/security', heading: 'Security' },
  { name: 'members', site: () => inside, path: '/app/settings/members', heading: 'Members' },
  { name: 'sign-in', site: () => outside, path: '/app/sign-in', heading: 'Sign in' },
  { name: 'setup', site: () => outside, path: '/app/setup?token=t0', heading: 'Welcome' },
  { name: 'invite', site: () => outside, path: '/app/invite?token=t1', heading: 'Join Acme' },
  { name: 'confirm', site: () => outside, path: '/app/confirm?token=t3', heading: 'Welcome, Alan Turing' },
  { name: 'reset', site: () => outside, path: '/app/reset?token=t2', heading: 'Welcome back, Alan Turing' },
];

describe.each(pages)('the page $name', ({ name, site, path, heading }) => {
  test('is accessible, fits the screen and breaks no policy', async () => {
    // Every link leads a visitor to the sign-in page, so their pages are opened directly.
    const isInside = site() === inside;
    const view = isInside ? await walk(site().url + path) : await openView(browser, site().url + path);
    await view.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await expect.poll(() => view.page.locator('[aria-busy="true"]').count(), { message: 'parts that load' }).toBe(0);
    await expectGoodLooks(view, name);
    if (!isInside) await view.close();
  });
});

describe('the frame', () => {
  test('sends a visitor to the sign-in page and remembers the address', async () => {
    const { page, close } = await openView(browser, `${outside.url}/app/requests?status=502`);
    await page.waitForURL(({ pathname }) => pathname === '/app/sign-in');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/app/requests?status=502');
    await close();
  });

  test('moves the focus to the heading of a new page, but not on the first page', async () => {
    const { page, close } = await openView(browser, `${inside.url}/app/settings/members`);
    const focused = () => page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent");
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(await focused()).toMatch(/^BODY /);
    await page.getByRole('link', { name: 'Security' }).click();
    await expect.poll(focused).toBe('H1 Security');
    await close();
  });

  test('lists the pages of one mode, and the switch returns to the last page of the other', async () => {
    const { page, close } = await openView(browser, `${inside.url}/app/settings/members`);
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    const modes = page.getByRole('group', { name: 'Pages shown' });
    await navigation.getByRole('link', { name: 'Keys' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Upstreams' }).count()).toBe(0);
    await expectNoScrolling(page);
    await modes.getByRole('link', { name: 'Operator' }).click();
    await page.waitForURL('**/app/operator/overview');
    expect(await navigation.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await expectNoScrolling(page);
    await navigation.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await page.locator('[aria-live=polite]').filter({ hasText: 'Accounts' }).waitFor({ state: 'attached' });
    await modes.getByRole('link', { name: 'Account', exact: true }).click();
    await page.waitForURL('**/app/settings/members');
    await modes.getByRole('link', { name: 'Operator' }).click();
    await page.waitForURL('**/app/operator/accounts');
    await close();
  });

  test('shows no switch to a user with one role', async () => {
    const roles = [
      { operator: null, path: '/app/settings/members', link: 'Keys' },
      { accounts: [], path: '/app/operator/accounts', link: 'Upstreams' },
    ];
    for (const { path, link, ...role } of roles) {
      const console = await fakeConsole({ ...replies, 'GET /auth/session': { ...signedIn, ...role } });
      const { page, close } = await openView(browser, console.url + path);
      await page.getByRole('navigation').getByRole('link', { name: link }).waitFor();
      expect(await page.getByRole('group', { name: 'Pages shown' }).count()).toBe(0);
      await close();
      await console.close();
    }
  });

  test('counts the upstreams that get no requests', async () => {
    const { upstreams, retries } = operating['GET /admin/v1/upstreams/health'] as UpstreamHealth;
    const health = {
      upstreams: upstreams.map((each) => ({ ...each, credentials: each.credentials.slice(-1) })),
      retries,
    };
    const console = await fakeConsole({ ...operating, 'GET /admin/v1/upstreams/health': health });
    const { page, close } = await openView(browser, `${console.url}/app/operator/accounts`);
    await page.getByRole('link', { name: 'Upstreams 1 upstream gets no requests' }).waitFor();
    await close();
    await console.close();
  });

  test('gives no two pages the same name', async () => {
    const table = await readFile(join(import.meta.dirname, '../../packages/dashboard/src/routes.tsx'), 'utf8');
    const titles = [...table.matchAll(/'\/app\/[^']+',\s+'(\w+)\.(\w+)'/g)];
    expect(titles.length).toBeGreaterThan(40);
    const texts: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = sections;
    for (const language of [0, 1]) {
      const names = titles.map(([, section = '', name = '']) => texts[section]?.[name]?.[language]);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });

  test('sends a link to a user who forgot the password', async () => {
    const view = await openView(browser, `${outside.url}/app/sign-in`);
    const { page, close } = view;
    await page.getByRole('button', { name: 'Forgot password?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Set a new password' }).waitFor();
    await page.getByLabel('E-mail').fill('alan@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If alan@example.com has a user here, the link is on its way.').waitFor();
    await expectGoodLooks(view, 'forgot-password');
    await page.getByRole('button', { name: 'Back to sign-in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await close();
  });

  test('never redirects out of the dashboard after signing in', async () => {
    const { page, close } = await openView(browser, `${inside.url}/app/sign-in?next=//evil.example/app/`);
    await page.waitForURL('**/app/overview');
    expect(new URL(page.url()).origin).toBe(inside.url);
    await close();
  });

  test('shows operator pages to operators only', async () => {
    const member = await fakeConsole({ 'GET /auth/session': { ...signedIn, operator: null } });
    const { page, close } = await openView(browser, `${member.url}/app/operator/system`);
    await page.getByText('This page is for operators').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Upstreams' }).count()).toBe(0);
    await close();
    await member.close();
  });

  test('stays visible around a missing or unreachable page, and explains why it asks to sign in again', async () => {
    const { page, context, close } = await openView(browser, `${inside.url}/app/nowhere`);
    await page.getByText('Page not found').waitFor();
    for (const [kind, list] of pagesOfDeletable) {
      await page.goto(`${inside.url}/app/operator/${kind}/gone`);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: list }).click();
      await page.waitForURL(`**/app/operator/${kind}`);
    }
    await page.goto(`${inside.url}/app/nowhere`);
    await page.getByText('Page not found').waitFor();
    await page.mouse.move(200, 200);
    const prefetchedScripts =
      "performance.getEntriesByType('resource').filter(({ name }) => /(palette|again)-[^/]*js$/.test(name)).length";
    await expect.poll(() => page.evaluate(prefetchedScripts)).toBe(2);
    await context.setOffline(true);
    // Without this, the browser would use its cache.
    await page.route('**/assets/**', (route) => route.abort());
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search pages' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByText('The gateway did not respond.').waitFor();
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect.poll(() => page.getByText('The gateway did not respond.').count()).toBe(2);
    const failedRetry = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/auth/session'));
    await page.getByRole('button', { name: 'Try again' }).click();
    await failedRetry;
    await context.setOffline(false);
    await page.unroute('**/assets/**');
    // The previous retry may still be running. If it succeeds, the button disappears before the click.
    void page
      .getByRole('button', { name: 'Try again' })
      .click()
      .catch(() => undefined);
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.route('**/auth/session', (route) => route.fulfill({ json: visitor }));
    const refused = refusal(401, 'You are not signed in.', 'not_signed_in');
    await page.route('**/account/v1/members*', (route) => route.fulfill({ status: 401, json: refused }));
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText('Your session has ended').waitFor();
    await close();
  });

  test('asks a person who signs up to check their e-mail, and sends the e-mail again', async () => {
    const { page, complaints, close } = await openView(browser, `${outside.url}/app/sign-up`, {
      language: 'zh',
      screen: 'narrow',
    });
    await page.getByLabel('邮箱').fill('alan@example.com');
    await page.getByLabel('您的姓名').fill('Alan Turing');
    await page.getByLabel('设置密码').fill('a password of his');
    await page.getByRole('button', { name: '注册' }).click();
    await page.getByRole('heading', { name: '请查收邮件' }).waitFor();
    await page.getByRole('button', { name: '重新发送' }).click();
    await page.getByText('邮件已重新发送').waitFor();
    await shot(page, 'email-sent');
    const [sent, again] = ['sign-up', 'sign-up/again'].map((path) =>
      outside.calls.find(({ line }) => line === `POST /auth/${path}`),
    );
    const proof = { email: 'alan@example.com', password: 'a password of his' };
    expect([sent?.body, again?.body]).toEqual([{ ...proof, name: 'Alan Turing', language: 'zh' }, proof]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('lets a user without a confirmed address confirm it by e-mail', async () => {
    const user = { ...signedIn.user, is_verified: false };
    const session = changing({ ...signedIn, user }, signedIn);
    const console = await fakeConsole({
      'GET /auth/session': session.answer,
      'POST /auth/address/email': {},
      'POST /auth/address/confirm': session.by({}),
    });
    const view = await openView(browser, `${console.url}/app/settings/profile`);
    const { page } = view;
    await page.getByText('This address is not confirmed').waitFor();
    await expectGoodLooks(view, 'profile-unconfirmed');
    await page.getByRole('button', { name: 'Send confirmation e-mail' }).click();
    await page.getByRole('status').filter({ hasText: 'ada@example.com' }).waitFor();
    await page.goto(`${console.url}/app/settings/profile?confirm=one`);
    await page.getByRole('button', { name: 'Confirm this address' }).click();
    await page.getByText('is confirmed').first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Confirm this address' }).count()).toBe(0);
    expect(console.calls.find(({ line }) => line === 'POST /auth/address/confirm')?.body).toEqual({ token: 'one' });
    await view.close();
    await console.close();
  });

  test('uses the language of the browser, and English when the user selects it', async () => {
    const { page, complaints, close } = await openView(browser, `${inside.url}/app/settings/profile`, {
      language: 'zh',
    });
    await page.getByRole('heading', { level: 1, name: '个人资料' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.getByText('English').click();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('finds pages, keys and requests by typed text, with the keyboard alone', async () => {
    const { page, complaints, close } = await openView(browser, `${inside.url}/app/settings/profile`);
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('textbox', { name: 'Search pages' });
    await field.fill('alpha');
    await page.getByRole('option', { name: 'alpha gwk_live_ab…yz Key' }).waitFor();
    await page.getByRole('option', { name: 'Initech Account' }).waitFor();
    await page.getByRole('status').filter({ hasText: '3 results' }).waitFor();
    await field.fill(`chatcmpl-${foundRequest}`);
    await page.getByRole('option', { name: foundRequest }).first().waitFor();
    await field.fill('secur');
    await page.getByRole('option', { name: 'Security' }).waitFor();
    await shot(page, 'palette');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await field.waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('offers actions that open a dialog, after their object is chosen if they need one', async () => {
    const console = await fakeConsole({ ...operating, 'GET /account/v1/search': found, 'GET /admin/v1/search': found });
    const { page, complaints, close } = await openView(browser, `${console.url}/app/settings/profile`);
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    const choose = async (action: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Search pages' }).fill(action);
      await page.getByRole('option', { name: action }).waitFor();
      await page.keyboard.press('Enter');
    };
    await choose('Invite member');
    await page.waitForURL('**/app/settings/members?open=invite');
    await page.getByRole('dialog', { name: 'Invite' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/app/settings/members');
    await choose('Add credit');
    const accounts = page.getByRole('textbox', { name: 'Choose an account' });
    await accounts.waitFor();
    await page.getByRole('option', { name: 'acme' }).waitFor();
    await accounts.press('Backspace');
    await page.getByRole('textbox', { name: 'Search pages' }).waitFor();
    await page.keyboard.press('Escape');
    await choose('Add credit');
    await page.getByRole('option', { name: 'acme' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/operator/accounts/acc_1?open=credit');
    await page.getByRole('dialog', { name: 'credit' }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
    await console.close();
  });

  test('returns the focus to the previous element when a dialog or the search closes', async () => {
    const { page, complaints, close } = await openView(browser, `${inside.url}/app/settings/members`);
    const focused = page.locator(':focus');
    const actions = page.getByRole('button', { name: 'Actions for Grace Hopper' });
    await actions.focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('textbox', { name: 'Search pages' });
    await field.fill('secur');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Actions for Grace Hopper');
    for (const action of ['Change role', 'Remove']) {
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: action }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.locator(':focus').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => focused.getAttribute('aria-label'), { message: action }).toBe('Actions for Grace Hopper');
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('can be navigated on a phone, where the navigation is a drawer', async () => {
    const { page, complaints, close } = await openView(browser, `${inside.url}/app/settings/profile`, {
      screen: 'narrow',
    });
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Members' }).waitFor();
    await shot(page, 'drawer-light-narrow');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('signing in', () => {
  test('shows a message when it is refused', async () => {
    const { page, close } = await openView(browser, `${outside.url}/app/sign-in`);
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('Wrong e-mail address or password.');
    await shot(page, 'sign-in-refused');
    await close();
  });

  test('asks for the second factor if the user has one', async () => {
    const careful = await fakeConsole({ 'GET /auth/session': visitor, 'POST /auth/sign-in': { next: 'two-factor' } });
    const { page, close } = await openView(browser, `${careful.url}/app/sign-in`);
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('right');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await shot(page, 'second-step');
    await expectAccessible(page);
    await close();
    await careful.close();
  });

  test('sets up an authenticator app with a QR code in the page', async () => {
    const begun = {
      uri: 'otpauth://totp/Chat%20Gateway:ada@example.com?secret=JBSWY3DPEHPK3PXP',
      secret: 'JBSWY3DPEHPK3PXP',
      backup_codes: ['aaaaa-11111', 'bbbbb-22222'],
    };
    const ready = await fakeConsole({
      ...replies,
      'POST /auth/totp/begin': begun,
      'POST /auth/totp/confirm': { ok: true },
    });
    const { page, complaints, close } = await openView(browser, `${ready.url}/app/settings/security`);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByLabel('Enter your password first').fill('right');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await shot(page, 'authenticator');
    await expectAccessible(page);
    await page.getByLabel('Code', { exact: true }).fill('123456');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Two-factor authentication turned on').waitFor();
    expect(ready.calls.map(({ line }) => line)).toContain('POST /auth/totp/confirm');
    expect(complaints).toEqual([]);
    await close();
    await ready.close();
  });
});
