import type { Browser, Page } from 'playwright-core';
import { setupPath } from '../../src/manage/console/setup-link.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { type ConfigChange, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { openView, type View, type ViewOptions } from './view.ts';

/** The dashboard of a real gateway. Its first owner is signed in, and also owns the account `demo`. */
export interface Console extends View {
  readonly gateway: TestGateway;
  /** Opens a view and waits for its heading. */
  go(path: string, heading: string): Promise<void>;
  /** Another window on the same gateway, without a session. */
  another(path: string, options?: ViewOptions): Promise<View>;
  close(): Promise<void>;
}

export const owner = { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse battery' };

/** Starts a gateway on its own store, and signs up the first owner with the one-time link. */
export async function openConsole(
  browser: Browser,
  options: ViewOptions & { readonly change?: ConfigChange } = {},
): Promise<Console> {
  const { change = (base: Record<string, unknown>) => base } = options;
  const gateway = await startTestGateway((base, provider) => change(withDemo(base), provider));
  const url = `http://localhost:${gateway.port}`;
  const link = await setupPath({ ...gateway.gateway, clock: systemClock });
  const view = await openView(browser, url + link, options);
  await submitSignUp(view.page, owner);
  return {
    ...view,
    gateway,
    go: async (path, heading) => {
      await view.page.goto(url + path);
      await view.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    },
    another: (path, other = options) => openView(browser, url + path, other),
    close: async () => {
      await view.close();
      await gateway.stop();
    },
  };
}

/** Fills in and submits the form of the set-up, invitation or sign-up page. */
export async function submitSignUp(
  page: Page,
  person: { readonly email?: string; readonly name: string; readonly password: string },
) {
  if (person.email !== undefined) await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Your name').fill(person.name);
  await page.getByLabel('Choose a password').fill(person.password);
  await page.getByRole('button', { name: /Become the owner|Accept the invitation|Create account/ }).click();
  await page.waitForURL(({ pathname }) => pathname === '/app/overview');
}

export async function signIn(page: Page, { email, password }: { readonly email: string; readonly password: string }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Sends a request as the user who is signed in on the page. */
export async function call<Reply>(page: Page, method: string, path: string, body?: unknown): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const question = `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)})`;
  const text = await page.evaluate<string>(
    `${question}.then(async (reply) => reply.ok ? reply.text() : Promise.reject(new Error(await reply.text())))`,
  );
  return JSON.parse(text === '' ? 'null' : text) as Reply;
}

/** Creates a user of an account, by default an owner, as if an operator had invited them. */
export async function inviteUser(
  { page, gateway }: Pick<Console, 'page' | 'gateway'>,
  id: string,
  person: { readonly email: string; readonly name: string; readonly password: string },
  role: 'owner' | 'member' = 'owner',
): Promise<void> {
  const invitation = { email: person.email, role };
  const { link } = await call<{ link: string }>(page, 'POST', `/admin/v1/accounts/${id}/invitations`, invitation);
  const token = new URL(link, 'http://localhost').searchParams.get('token') ?? '';
  const origin = `http://localhost:${gateway.port}`;
  // Not sent from the page, because accepting an invitation signs the browser in.
  await fetch(`${origin}/auth/invitations/${token}/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ name: person.name, password: person.password }),
  });
}

function withDemo(base: Record<string, unknown>): Record<string, unknown> {
  const demo = { name: 'demo', package: 'standard', credit: '100.00' };
  return { ...base, accounts: [...((base['accounts'] as unknown[]) ?? []), demo] };
}
