import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitSignUp, type Console, openConsole, owner, signIn } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows } from './view.ts';

let browser: Browser;
let console: Console;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await openConsole(browser);
});

afterAll(async () => {
  await console?.close();
  await closeWindows(browser);
});

describe('sign-up and sign-in at a real gateway', () => {
  test('the first owner signs up with the one-time link and sees the account and the operator pages', async () => {
    const { page } = console;
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    await expect.poll(() => page.getByText('demo', { exact: true }).count()).toBe(1);
    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByRole('link', { name: 'Upstreams' }).waitFor();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.getByRole('link', { name: 'Keys' }).waitFor();
  });

  test('a person whom the owner invites joins with the link and sees the account only', async () => {
    await console.go('/app/settings/members', 'Members');
    const { page } = console;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('grace@example.com');
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Invitation for grace@example.com').inputValue();
    const guest = await console.another(new URL(link).pathname + new URL(link).search);
    await guest.page.getByRole('heading', { name: 'Join demo' }).waitFor();
    await submitSignUp(guest.page, { name: 'Grace Hopper', password: 'a password of hers' });
    await guest.page.getByRole('link', { name: 'Keys' }).waitFor();
    await expect.poll(() => guest.page.getByRole('link', { name: 'Upstreams' }).count()).toBe(0);
    expect(guest.complaints).toEqual([]);
    await guest.close();
    await console.go('/app/settings/members', 'Members');
    await page.getByText('Grace Hopper').waitFor();
  });

  test('the sign-in page of a gateway without a mail server names the person to ask for a reset link', async () => {
    const guest = await console.another('/app/sign-in');
    await guest.page.getByText('Forgot your password or lost your phone?').waitFor();
    expect(await guest.page.getByRole('button', { name: 'Forgot password?' }).count()).toBe(0);
    await guest.close();
  });

  test('a member who lost her password signs in with a reset link, and the owner then makes her an owner', async () => {
    const { page } = console;
    const actions = page.getByRole('button', { name: 'Actions for Grace Hopper' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Create reset link' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = new URL(await page.getByLabel('Reset link for grace@example.com').inputValue());
    await page.getByRole('button', { name: 'Done' }).click();
    const guest = await console.another(link.pathname + link.search);
    await guest.page.getByRole('heading', { name: 'Welcome back, Grace Hopper' }).waitFor();
    await guest.page.getByLabel('Choose a password').fill('another password of hers');
    // Clicked twice before the page changes. The link works once, so the second click must send nothing.
    await guest.page.getByRole('button', { name: 'Save and sign in' }).evaluate((button: { click(): void }) => {
      button.click();
      button.click();
    });
    await guest.page.getByRole('link', { name: 'Keys' }).waitFor();
    expect(guest.complaints).toEqual([]);
    await guest.close();
    const late = await console.another(link.pathname + link.search);
    await late.page.getByText('If you used this link yourself').waitFor();
    await late.page.getByRole('link', { name: 'Sign in' }).click();
    await late.page.getByLabel('E-mail').waitFor();
    await late.close();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await page.getByRole('radio', { name: 'Owner' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /Grace Hopper/ })
      .getByText('Owner')
      .waitFor();
  });

  test('after signing in, a user returns to the page that they opened', async () => {
    const { page, complaints, close } = await console.another('/app/settings/security');
    await signIn(page, { ...owner, password: 'not the password' });
    await page.getByText('Wrong e-mail address or password.').waitFor();
    await signIn(page, owner);
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.getByText('This session').waitFor();
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByText('Session ended').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('when a session ends, the user signs in over the page, which keeps the typed text', async () => {
    const { page, complaints } = console;
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.reload();
    await signIn(page, owner);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('爱达 Lovelace');
    await console.context.clearCookies();
    // The page may detect it before the click. Then the dialog covers the button.
    const save = page.getByRole('button', { name: 'Save' });
    await save.click({ timeout: 10_000 }).catch(() => undefined);
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByLabel(`Password for ${owner.email}`).fill(owner.password);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('爱达 Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('爱达 Lovelace').waitFor();
    expect(complaints).toEqual([]);
  });
});
