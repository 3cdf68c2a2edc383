import type { Page } from 'playwright-core';
import { sections } from '../dashboard/src/strings/index.ts';
import { owner } from '../test/browser/console.ts';
import type { ViewOptions } from '../test/browser/view.ts';

/** A page in one state, after some steps on it. */
export interface Moment {
  readonly name: string;
  readonly path: string;
  /** Runs before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** The gateway returns errors, which the browser logs by itself. */
  readonly isFailing?: boolean;
  /** A step moves the page long after the input, such as the change to print or the reply to a dialog. */
  readonly mayShift?: boolean;
  readonly reach: (page: Page, translate: Translate) => Promise<unknown>;
}

/** Returns a text of the dashboard in the language of the view. */
export type Translate = (key: string) => string;

export function translateTo(language: Required<ViewOptions>['language']): Translate {
  const texts = sections as Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
  return (key) => {
    const [section = '', name = ''] = key.split('.');
    const text = texts[section]?.[name]?.[language === 'zh' ? 1 : 0];
    if (typeof text !== 'string') throw new Error(`there is no text ${key}`);
    return text;
  };
}

/** Clicks the first button with this text. */
export const press = (key: string) => (page: Page, translate: Translate) =>
  page
    .getByRole('button', { name: translate(key) })
    .first()
    .click();

/** Opens a menu of a row or of the page, and selects an item. */
const chosen = (menu: string, key: string) => async (page: Page, translate: Translate) => {
  const words = translate(menu)
    .replace(/\{\w+\}/, '')
    .trim();
  await page.getByRole('button', { name: words }).first().click();
  await page.getByRole('menuitem', { name: translate(key) }).click();
};

const dialog = (page: Page) => page.getByRole('dialog').waitFor();

/** Runs the steps, then waits for a dialog. */
export const opened =
  (...steps: readonly Moment['reach'][]): Moment['reach'] =>
  async (page, translate) => {
    for (const step of steps) await step(page, translate);
    await dialog(page);
  };

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first().waitFor();

const account = '/app/operator/accounts/$id';

/** Dialogs, tabs, the printed page, and errors. */
export const moments: readonly Moment[] = [
  { name: 'create-key', path: '/app/keys', reach: opened(press('keys.create')) },
  { name: 'edit-key', path: '/app/keys', reach: opened(chosen('keys.menu', 'keys.editAction')) },
  { name: 'rotate-key', path: '/app/keys', reach: opened(chosen('keys.menu', 'keys.rotateAction')) },
  { name: 'revoke-key', path: '/app/keys', reach: opened(chosen('keys.menu', 'keys.revokeAction')) },
  { name: 'credit', path: account, reach: opened(press('accounts.credit')) },
  { name: 'package', path: account, reach: opened(chosen('accounts.more', 'accounts.changePackage')) },
  { name: 'suspend', path: account, reach: opened(chosen('accounts.more', 'accounts.suspend')) },
  { name: 'keys-of-account', path: `${account}?tab=keys`, reach: (page) => page.getByText('Capped').waitFor() },
  {
    name: 'ledger-of-account',
    path: `${account}?tab=ledger`,
    reach: (page) => page.getByRole('table').last().waitFor(),
  },
  {
    name: 'members-of-account',
    path: `${account}?tab=members`,
    reach: (page) => page.getByRole('table').first().waitFor(),
  },
  { name: 'make-codes', path: '/app/operator/codes', reach: opened(press('codes.make')) },
  { name: 'add-webhook', path: '/app/alerts', reach: opened(press('alerts.add')) },
  { name: 'new-token', path: '/app/operator/people/tokens', reach: opened(press('people.addToken')) },
  { name: 'invite-operator', path: '/app/operator/people/operators', reach: opened(press('people.inviteOperator')) },
  { name: 'invite', path: '/app/settings/members', reach: opened(press('settings.invite')) },
  { name: 'rename', path: '/app/settings/profile', reach: opened(press('common.rename')) },
  { name: 'second-factor', path: '/app/settings/security', mayShift: true, reach: secondFactor },
  {
    name: 'choose-upstream',
    path: '/app/operator/upstreams?add=choose',
    reach: (page, translate) => page.getByText(translate('upstreams.choose')).waitFor(),
  },
  { name: 'new-upstream', path: '/app/operator/upstreams?add=openai', reach: press('upstreams.more') },
  { name: 'new-model', path: '/app/operator/models?add=new', reach: press('routes.add') },
  { name: 'model-advanced', path: '/app/operator/models/priced?edit=1', reach: press('routes.advanced') },
  { name: 'usage-by-upstream', path: '/app/operator/usage?by=upstream', reach: heading },
  { name: 'model-prices', path: '/app/operator/models/priced', reach: heading },
  { name: 'edit-model-prices', path: '/app/operator/models/priced?edit=1', reach: heading },
  { name: 'priced-model', path: '/app/models/priced', reach: heading },
  { name: 'package-factor', path: '/app/operator/packages?package=partners', reach: dialog },
  { name: 'package-dialog', path: '/app/operator/packages?package=standard', reach: dialog },
  { name: 'site-dialog', path: '/app/operator/sites?site=main', reach: dialog },
  { name: 'palette', path: '/app/overview', reach: palette },
  { name: 'printed', path: '/app/billing/$id', mayShift: true, reach: printed },
  { name: 'billing-details', path: '/app/billing', reach: billingDetails },
  { name: 'account-documents', path: '/app/operator/accounts/$id?tab=documents', reach: heading },
  { name: 'no-network', path: '/app/overview', mayShift: true, reach: withoutNetwork },
  { name: 'lost-session', path: '/app/keys', mayShift: true, reach: lostSession },
  { name: 'suspended', path: '/app/operator/accounts/$suspended', reach: viewedAs },
  { name: 'new-account', path: '/app/operator/accounts/$empty', reach: viewedAs },
];

async function secondFactor(page: Page, translate: Translate): Promise<void> {
  await press('settings.totpBegin')(page, translate);
  await page.getByRole('dialog').getByLabel(translate('settings.totpPassword')).fill(owner.password);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: translate('common.next') })
    .click();
  await page.getByRole('textbox', { name: translate('signIn.code') }).waitFor();
}

/** The texts of the dialog load with its page, so `translate` does not have them. */
async function billingDetails(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(?:Edit|编辑)$/ }).click();
  await dialog(page);
}

async function palette(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await dialog(page);
  await page.keyboard.type('pl');
}

async function printed(page: Page): Promise<void> {
  await page.getByRole('table').last().waitFor();
  await page.emulateMedia({ media: 'print' });
}

async function withoutNetwork(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.context().setOffline(true);
  // The radio buttons are covered by the control, so a pointer cannot click them.
  await page.evaluate("[...document.querySelectorAll('input[type=radio]')].at(-1).click()");
  await page.getByRole('alert').first().waitFor();
}

/** The session ends while a dialog is open, and the user signs in again on the same page. */
async function lostSession(page: Page, translate: Translate): Promise<void> {
  await press('keys.create')(page, translate);
  await page.getByRole('dialog').getByRole('textbox').first().fill('Laptop');
  await page.context().clearCookies();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: translate('keys.create') })
    .click();
  await page.getByRole('dialog').locator('input[type=password]').waitFor();
}

async function viewedAs(page: Page, translate: Translate): Promise<void> {
  await page.getByRole('button', { name: translate('accounts.viewAs') }).click();
  await page.waitForURL('**/app/overview');
  // Another button may be at the same position now. Move the pointer away, so that its hint does not show.
  await page.mouse.move(0, 0);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
