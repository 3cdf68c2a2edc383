import type { Page, Route } from 'playwright-core';
import { type Moment, opened, press, type Translate } from './sweep-moments.ts';

const apis = /\/(?:account|admin)\/v1\/|\/auth\/(?!session)/;

/** A page whose lists are empty. */
export function emptied(name: string, path: string): Moment {
  return { name: `empty-${name}`, path, prepare: (page) => page.route(apis, emptyReply), reach: settled };
}

/** A page while the API returns 500. */
export function broken(name: string, path: string): Moment {
  const refusal = { error: { code: 'internal_error', type: 'gateway_error', message: 'Something went wrong.' } };
  const refuse = (route: Route) =>
    route.fulfill({ status: 500, json: refusal, headers: { 'x-gateway-request-id': '20261116100000000abcdefghij' } });
  // The page retries first. A notice of an error may be longer than the placeholder.
  const reach = (page: Page) => page.getByRole('alert').first().waitFor({ timeout: 20_000 });
  return {
    name: `broken-${name}`,
    path,
    isFailing: true,
    mayShift: true,
    prepare: (page) => page.route(apis, refuse),
    reach,
  };
}

async function emptyReply(route: Route): Promise<void> {
  if (route.request().method() !== 'GET') return route.continue();
  const reply = await route.fetch();
  const text = await reply.text();
  const json: unknown = reply.headers()['content-type']?.startsWith('application/json') ? JSON.parse(text) : undefined;
  const isList = Array.isArray((json as { data?: unknown } | undefined)?.data);
  await route.fulfill({ response: reply, ...(isList && { json: { ...(json as object), data: [], next: null } }) });
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

const answers =
  (replies: Readonly<Record<string, unknown>>): NonNullable<Moment['prepare']> =>
  async (page) => {
    for (const [path, json] of Object.entries(replies))
      await page.route(`**${path}`, (route) => route.fulfill({ json }));
  };

const fill = (key: string, value: string) => (page: Page, translate: Translate) =>
  page.getByLabel(translate(key)).first().fill(value);

interface FoundSession {
  readonly site: object;
  readonly user: object | null;
}

/** Replaces parts of the session reply. */
const session =
  (change: (session: FoundSession) => object): NonNullable<Moment['prepare']> =>
  (page) =>
    page.route('**/auth/session', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: change((await reply.json()) as FoundSession) });
    });

const someone = { email: 'alan@example.com', name: 'Alan Turing' };
const unconfirmed = session((found) => ({ ...found, is_mail_on: true, user: { ...found.user, is_verified: false } }));
const open = session((found) => ({ ...found, site: { ...found.site, sign_up: true } }));

const topUp = {
  is_offered: true,
  currency: 'USD',
  amount_min: '5.00',
  amount_max: '1000.00',
  card: { brand: 'mastercard', last4: '4444', exp_month: 4, exp_year: 2031 },
  settings: { threshold: '5.00', amount: '20.00', monthly_max: '100.00' },
  charged_this_month: '100.00',
  month_ends_at: '2026-12-01T00:00:00.000Z',
  pause: null,
};
const paused = { ...topUp, pause: { reason: 'authentication_required', at: '2026-11-16T10:00:00.000Z' } };

/** Pages before the sign-in, and states that need a second user or an error. */
export const states: readonly Moment[] = [
  {
    name: 'billing-paused-top-up',
    path: '/app/billing?card=saved',
    prepare: answers({ '/account/v1/auto-top-up': paused }),
    reach: settled,
  },
  {
    name: 'alerts-top-up',
    path: '/app/alerts',
    prepare: answers({ '/account/v1/auto-top-up': topUp }),
    reach: settled,
  },
  { name: 'sign-up-open', path: '/app/sign-up', prepare: open, reach: settled },
  {
    name: 'email-sent',
    path: '/app/sign-up',
    prepare: async (page) => {
      await open(page);
      await answers({ '/auth/sign-up': { next: 'confirm' } })(page);
    },
    reach: async (page, translate) => {
      await fill('signIn.email', someone.email)(page, translate);
      await fill('signIn.yourName', someone.name)(page, translate);
      await fill('signIn.newPassword', 'a password of his')(page, translate);
      await page.getByRole('button', { name: translate('signIn.create') }).click();
      await page.getByRole('heading', { name: translate('signIn.emailSentTitle') }).waitFor();
    },
  },
  {
    name: 'confirm-email',
    path: '/app/confirm?token=one',
    prepare: answers({ '/auth/sign-ups/one': someone }),
    reach: settled,
  },
  { name: 'confirm-dead', path: '/app/confirm?token=none', reach: settled },
  {
    name: 'invitation',
    path: '/app/invite?token=one',
    prepare: answers({
      '/auth/invitations/one': {
        email: someone.email,
        account: 'demo',
        role: 'member',
        has_user: false,
      },
    }),
    reach: settled,
  },
  {
    name: 'reset-password',
    path: '/app/reset?token=one',
    prepare: answers({ '/auth/resets/one': { ...someone, resets: 'password' } }),
    reach: settled,
  },
  {
    name: 'unconfirmed',
    path: '/app/settings/profile',
    prepare: unconfirmed,
    reach: (page, translate) => page.getByText(translate('settings.addressUnconfirmed')).waitFor(),
  },
  {
    name: 'confirm-address',
    path: '/app/settings/profile?confirm=one',
    prepare: unconfirmed,
    reach: (page, translate) => page.getByText(translate('settings.addressHere')).waitFor(),
  },
  { name: 'setup-dead', path: '/app/setup?token=none', reach: (page) => page.getByRole('alert').first().waitFor() },
  { name: 'conflict', path: '/app/keys', reach: conflict },
  { name: 'capped-request', path: '/app/requests/$capped', reach: (page) => page.getByRole('alert').first().waitFor() },
  {
    name: 'stored-request',
    path: '/app/requests/$stored',
    reach: async (page, translate) => {
      await press('bodies.read')(page, translate);
      await page.getByText(translate('bodies.response'), { exact: true }).waitFor();
    },
  },
  { name: 'key-storing', path: '/app/keys?new=key', reach: storing },
  { name: 'add-passkey', path: '/app/settings/security', reach: opened(press('settings.passkeyAdd')) },
  {
    name: 'remove-passkey',
    path: '/app/settings/security',
    prepare: answers({
      '/auth/passkeys': { data: [{ id: 'pk_1', name: 'Firefox · Linux', created_at: '2026-01-01T10:00:00.000Z' }] },
    }),
    reach: opened(async (page, translate) => {
      const row = page.getByRole('listitem').filter({ hasText: 'Firefox' });
      await row.getByRole('button', { name: translate('common.remove') }).click();
    }),
  },
  { name: 'reset-dialog', path: '/app/operator/people', reach: opened(resetDialog) },
  {
    name: 'reset-made',
    path: '/app/operator/people',
    prepare: answers({
      '/admin/v1/people/*/reset': {
        ...someone,
        link: `/app/reset?token=${'a'.repeat(43)}`,
        mailed: true,
        resets: 'password',
        expires_at: '2026-11-17T10:00:00.000Z',
      },
    }),
    reach: async (page, translate) => {
      await resetDialog(page, translate);
      await page.getByRole('button', { name: translate('people.resetMake') }).click();
      await page.getByText(translate('common.done')).waitFor();
    },
  },
  { name: 'playground-answer', path: '/app/playground?model=plain', reach: sendMessage },
  { name: 'playground-error', path: '/app/playground?model=thinker', reach: sendMessage },
  {
    name: 'add-many',
    path: '/app/operator/upstreams/$id',
    prepare: answers({
      '/admin/v1/upstreams/*/test': {
        ok: true,
        asked: 'model_list',
        status: 200,
        duration_ms: 240,
        models: ['plain', 'gpt-5-mini', 'o9-preview', `a/${'very-long-name-'.repeat(6)}of-a-model`],
        known: [],
        error: null,
      },
    }),
    reach: addMany,
  },
  {
    name: 'redelivered',
    path: '/app/alerts',
    reach: async (page, translate) => {
      await press('alerts.again')(page, translate);
      await page.getByText(translate('alerts.sentAgain')).waitFor();
    },
  },
  {
    name: 'digest-chosen',
    path: '/app/operator/alerts',
    prepare: answers({ '/auth/digest': { digest: 'weekly', email: 'ada@example.com', is_verified: true } }),
    reach: async (page, translate) => {
      await page.getByText(translate('alerts.digest_daily')).last().click();
      await page.getByText(translate('common.saved')).waitFor();
    },
  },
];

/** Another user changes the key while this user edits it. */
async function conflict(page: Page, translate: Translate): Promise<void> {
  const menu = translate('keys.menu').replace(/\{\w+\}/, 'Shared');
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: translate('keys.editAction') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: translate('keys.cap') }).fill('7.00');
  await page.evaluate(`fetch('/account/v1/keys?limit=200').then((reply) => reply.json()).then(({ data }) => {
    const { id } = data.find(({ name }) => name === 'Shared');
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ models: ['plain', 'other'], spend_cap: String(8 + Math.floor(Math.random() * 999)) });
    return fetch('/account/v1/keys/' + id, { ...init, body });
  })`);
  await dialog.getByRole('button', { name: translate('common.save') }).click();
  await dialog.getByRole('radio').first().waitFor();
}

/** The notice that appears when the storing of bodies is switched on. */
async function storing(page: Page, translate: Translate): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('switch', { name: translate('bodies.switch') }).check();
}

async function resetDialog(page: Page, translate: Translate): Promise<void> {
  const menu = translate('people.menu').replace(/\{\w+\}/, 'Grace Hopper');
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: translate('people.resetAction') }).click();
}

/** Sends a message and waits for the answer or an error. */
async function sendMessage(page: Page, translate: Translate): Promise<void> {
  const box = page.getByRole('textbox', { name: translate('playground.message') });
  for (const question of ['Why is the sky blue?', 'And at night?']) {
    await box.fill(question);
    await press('playground.send')(page, translate);
    await page.getByText(translate('playground.seeRequest')).last().waitFor();
  }
}

async function addMany(page: Page, translate: Translate): Promise<void> {
  await press('upstreams.test')(page, translate);
  await page.getByRole('button', { name: translate('upstreams.addMany') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox').nth(1).check();
  await dialog.getByRole('button').last().click();
}
