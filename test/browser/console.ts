import type { Browser, Page } from 'playwright-core';
import { setupPath } from '../../src/console/setup-link.ts';
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

function withDemo(base: Record<string, unknown>): Record<string, unknown> {
  const demo = { name: 'demo', package: 'standard', credit: '100.00' };
  return { ...base, accounts: [...((base['accounts'] as unknown[]) ?? []), demo] };
}
