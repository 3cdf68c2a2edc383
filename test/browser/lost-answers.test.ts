import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reason } from 'chat-formats/reasons/reason.ts';
import { totpCode } from '../fakes/totp.ts';
import { type Console, openConsole, owner } from './console.ts';
import { fakeConsole, sequence, refusal, signedIn, visitor } from './fake-console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, openView } from './view.ts';

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

/** The current password. A test changes it. */
let password = owner.password;

test('if the reply to a password change is lost, the page says that the new password may be active', async () => {
  const { page, go, complaints } = console;
  const changed = 'tr0ubador and a horse';
  await go('/app/settings/security', 'Security');
  await loseAnswer(page, '/auth/password');
  await page.getByLabel('Current password').fill(owner.password);
  await page.getByLabel('New password').fill(changed);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('your password may have been changed').waitFor();
  await page.getByRole('button', { name: 'Change password' }).click();
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByLabel(`Password for ${owner.email}`).fill(changed);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'hidden' });
  password = changed;
  await page.getByText('your password may have been changed').waitFor();
  expect(withoutLoss(complaints)).toEqual([]);
});

test('if the reply to a second-factor confirmation is lost, the user confirms again and still sees the backup codes', async () => {
  const { page, go, complaints } = console;
  await go('/app/settings/security', 'Security');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByLabel('Enter your password first').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  const setup = page.getByRole('dialog', { name: 'Authenticator app' });
  const secret = /[A-Z2-7]{32,}/.exec(await setup.getByText(/^[A-Z2-7]{32,}$/).innerText())?.[0] ?? '';
  const [code] = /\w{5}-\w{5}/.exec(
    await setup
      .getByText(/\w{5}-\w{5}/)
      .first()
      .innerText(),
  ) ?? [''];
  await loseAnswer(page, '/auth/totp/confirm');
  await setup.getByLabel('Code', { exact: true }).fill(totpCode(secret));
  await setup.getByRole('button', { name: 'Turn on' }).click();
  await setup.getByText('The gateway did not respond').waitFor();
  await setup.getByRole('button', { name: 'Turn on' }).click();
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByLabel(`Password for ${owner.email}`).fill(password);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByRole('button', { name: 'Use a backup code instead' }).click();
  await again.getByRole('textbox').fill(code);
  await again.getByRole('button', { name: 'Continue' }).click();
  await again.waitFor({ state: 'hidden' });
  await page.getByText('Generate new backup codes', { exact: true }).waitFor();
  await setup.getByText(code).waitFor();
  // A code works once, so the test uses the code of the next 30 s.
  await setup.getByLabel('Code', { exact: true }).fill(totpCode(secret, Date.now() + 30_000));
  await setup.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Two-factor authentication turned on').waitFor();
  expect(withoutLoss(complaints)).toEqual([]);
});

test('if the reply to a sign-up confirmation is lost, the page leads to the sign-in, and a 503 is not shown as a dead link', async () => {
  const used = refusal(401, reason('link_expired'), 'sign_in_refused');
  const wrong = refusal(401, reason('wrong_sign_up_password'), 'sign_in_refused');
  const overloaded = refusal(503, 'Come back later.', 'overloaded');
  const alan = { email: 'alan@example.com', name: 'Alan Turing' };
  const site = await fakeConsole({
    'GET /auth/session': visitor,
    // The page tries a read three times, then the user has to click.
    'GET /auth/sign-ups/t3': sequence(overloaded, overloaded, overloaded, alan, alan, used),
    'POST /auth/sign-ups/t3': sequence(wrong, used),
  });
  const { page, close } = await openView(browser, `${site.url}/app/confirm?token=t3`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Welcome, Alan Turing' }).waitFor();
  await page.getByLabel('Password', { exact: true }).fill('a wrong one');
  const confirm = page.getByRole('button', { name: 'Confirm and sign in' });
  await confirm.click();
  await page.getByText('This is not the password chosen at sign-up.').waitFor();
  await confirm.click();
  await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail').waitFor();
  await close();
  await site.close();
});

test('if the reply to a sign-up is lost, a second try signs the user in', async () => {
  const taken = refusal(400, reason('address_known'), 'invalid_request');
  const open = { ...visitor, site: { ...visitor.site, sign_up: true } };
  const site = await fakeConsole({ 'GET /auth/session': open, 'POST /auth/sign-up': taken });
  const { page, close } = await openView(browser, `${site.url}/app/sign-up`);
  await page.getByLabel('E-mail').fill('alan@example.com');
  await page.getByLabel('Your name').fill('Alan Turing');
  await page.getByLabel('Choose a password').fill('tr0ubador and a horse');
  await page.route('**/auth/session', (route) => route.fulfill({ json: signedIn }));
  await page.getByLabel('Choose a password').press('Enter');
  await page.waitForURL('**/app/overview');
  await close();
  await site.close();
});

test('a wrong password at a reset link is not reported as a used link', async () => {
  const wrong = refusal(401, reason('wrong_reset_password'), 'sign_in_refused');
  const used = refusal(401, reason('link_expired'), 'sign_in_refused');
  const links = await fakeConsole({
    'GET /auth/session': visitor,
    'GET /auth/resets/t4': { email: 'alan@example.com', name: 'Alan Turing', resets: 'second-factor' },
    'POST /auth/resets/t4': sequence(wrong, used),
  });
  const { page, close } = await openView(browser, `${links.url}/app/reset?token=t4`);
  await page.getByLabel('Password', { exact: true }).fill('a wrong one');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await page.getByText('The password is wrong. If you lost it too, ask for another link.').waitFor();
  expect(await page.getByText('If you used this link yourself').count()).toBe(0);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await page.getByText('If you used this link yourself').waitFor();
  await close();
  await links.close();
});

/** The gateway performs the next request to this path, but the page receives neither the reply nor its cookies. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  await page.route(
    `**${path}`,
    async (route) => {
      const request = route.request();
      const { host: _, ...headers } = await request.allHeaders();
      const answer = await fetch(request.url(), { method: request.method(), headers, body: request.postData() });
      expect(answer.status).toBe(200);
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
}

function withoutLoss(complaints: readonly string[]): readonly string[] {
  return complaints.filter((each) => !each.includes('net::ERR_CONNECTION_RESET'));
}
