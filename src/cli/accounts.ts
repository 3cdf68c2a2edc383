import type { Command } from 'commander';
import colors from 'picocolors';
import { type Account, accounts } from '../accounts/accounts.ts';
import { type ApiKey, keyState, keys } from '../accounts/keys.ts';
import { type Balance, balanceOf } from '../billing/balance.ts';
import { grantFirstCredits } from '../billing/first-credit.ts';
import { readRows } from '../catalog/resource-rows.ts';
import { closest } from '../config/closest.ts';
import { amount as amountSchema } from '../config/decimal.ts';
import { timeZone as timeZoneSchema } from '../config/key-limits.ts';
import { displayName as displayNameSchema } from '../config/display-name.ts';
import { name as nameSchema } from '../config/names.ts';
import { systemClock } from '../core/clock.ts';
import { decimalText } from '../core/money.ts';
import type { Store } from '../store/store.ts';
import { accountOf, firstAccount } from './account-of.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { registerCredit } from './credit.ts';
import { documentOf } from './document.ts';
import { keyTable } from './key-table.ts';
import { terminateNote, followNote } from './notes.ts';
import { invalidOption, problemOf } from './option-values.ts';
import { answer, type Cell, CliError, details, table } from './output.ts';
import { momentText, relativeText } from './time-text.ts';

export function registerAccounts(program: Command): void {
  const noun = program.command('accounts').description('Manage accounts. An account has API keys and a balance.');
  noun.command('list').description('List accounts.').action(list);
  noun.command('show').argument('<account>', 'name or id').description('Show one account and its keys.').action(show);
  noun
    .command('create')
    .argument('<name>', 'letters, digits, `.`, `_`, `@` and `-`')
    .option('--display-name <text>', 'name shown to people, in any script')
    .option('--package <package>', 'package of the account', 'standard')
    .option('--credit <amount>', 'amount to grant, such as 5.00')
    .option('--time-zone <zone>', 'time zone in which its days begin, such as Europe/Berlin; default UTC')
    .description('Create an account.')
    .action(create);
  noun
    .command('change')
    .argument('<account>', 'name or id')
    .option(
      '--time-zone <zone>',
      'time zone in which its days begin and the spend caps of its keys reset, such as Europe/Berlin',
    )
    .option('--display-name <text>', 'name shown to people, in any script; an empty text removes it')
    .description('Change an account. Files and commands still use its name.')
    .action(change);
  noun
    .command('suspend')
    .argument('<account>', 'name or id')
    .option('--terminate-streams', 'abort running requests instead of letting them finish')
    .description('Suspend an account: reject its keys. Nothing is deleted.')
    .action((reference: string, options: { terminateStreams?: true }, command: Command) =>
      setStatus(reference, 'suspended', command, options.terminateStreams),
    );
  noun
    .command('resume')
    .argument('<account>', 'name or id')
    .description('Resume an account: accept its keys again.')
    .action((reference: string, _options, command: Command) => setStatus(reference, 'active', command));
  registerCredit(noun);
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store, { storeName }) => {
    const all = await accounts(store, systemClock).list();
    const byAccount = Map.groupBy(await keys(store, systemClock).list(), ({ accountId }) => accountId);
    answer(command, {
      json: all.map(documentOf),
      text: () => (all.length === 0 ? `No accounts in ${storeName}.\n${firstAccount}` : accountTable(all, byAccount)),
    });
  });
}

async function show(reference: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const account = await accountOf(store, reference);
    const own = await keys(store, systemClock).list({ accountId: account.id });
    const balance = await balanceOf(store, account.id);
    answer(command, {
      json: { ...documentOf(account), balance: documentOf(balance), keys: own.map(documentOf) },
      text: () => `${accountDetails(account, balance)}\n\n${own.length === 0 ? firstKey(account) : keyTable(own)}`,
    });
  });
}

interface ChangeOptions {
  readonly timeZone?: string;
  readonly displayName?: string;
}

async function change(reference: string, options: ChangeOptions, command: Command): Promise<void> {
  if (options.timeZone === undefined && options.displayName === undefined) {
    throw new CliError('no_changes', { example: '--time-zone UTC' }, { exitCode: 2 });
  }
  const timeZone = options.timeZone === undefined ? undefined : timeZoneOf(options.timeZone);
  const displayName = displayNameOf(options.displayName);
  await withStore(command, async (store) => {
    const account = await accountOf(store, reference);
    const renamed = options.displayName === undefined ? account : { ...account, displayName };
    const after = timeZone === undefined ? renamed : { ...renamed, timeZone };
    await audited(store, 'changeAccount', async (inside) => {
      const book = accounts(inside, systemClock);
      if (timeZone !== undefined) await book.setTimeZone(account.id, timeZone);
      if (options.displayName !== undefined) await book.rename(account.id, displayName);
      const documents = { before: documentOf(account), after: documentOf(after) };
      return { result: undefined, change: { kind: 'account', id: account.id, ...documents } };
    });
    answer(command, { json: documentOf(after), text: () => accountDetails(after) });
  });
}

/** Validates a display name; returns `undefined` if the text is empty or missing. */
function displayNameOf(text = ''): string | undefined {
  if (text === '') return undefined;
  const valid = displayNameSchema.safeParse(text);
  if (!valid.success) throw invalidOption('--display-name', text, valid);
  return valid.data;
}

function timeZoneOf(text: string): string {
  const zone = timeZoneSchema.safeParse(text);
  if (zone.success) return zone.data;
  throw new CliError('invalid_time_zone', { value: text, problem: problemOf(zone) }, { exitCode: 2 });
}

interface CreateAccountOptions {
  readonly package: string;
  readonly displayName?: string;
  readonly credit?: string;
  readonly timeZone?: string;
}

async function create(name: string, options: CreateAccountOptions, command: Command): Promise<void> {
  const timeZone = options.timeZone === undefined ? undefined : timeZoneOf(options.timeZone);
  const credit = amountSchema.optional().safeParse(options.credit);
  if (!credit.success) throw invalidOption('--credit', options.credit ?? '', credit);
  const valid = nameSchema.safeParse(name);
  if (!valid.success) throw new CliError('invalid_name', { name, problem: problemOf(valid) }, { exitCode: 2 });
  await withStore(command, async (store) => {
    const book = accounts(store, systemClock);
    if (await book.find(name)) throw new CliError('account_exists', { account: name });
    await requirePackage(store, options.package);
    const account = await audited(store, 'createAccount', async (inside) => {
      const displayName = displayNameOf(options.displayName);
      const fields = { name, displayName, packageName: options.package, credit: credit.data, timeZone };
      const made = await accounts(inside, systemClock).create(fields);
      await grantFirstCredits(inside, systemClock);
      return { result: made, change: { kind: 'account', id: made.id, after: documentOf(made) } };
    });
    answer(command, {
      json: documentOf(account),
      text: () => `${accountDetails(account)}\n\n${firstKey(account)}`,
    });
  });
}

async function setStatus(
  reference: string,
  status: Account['status'],
  command: Command,
  terminateStreams?: boolean,
): Promise<void> {
  await withStore(command, async (store) => {
    const account = await accountOf(store, reference);
    await audited(store, status === 'active' ? 'resumeAccount' : 'suspendAccount', async (inside) => {
      const book = accounts(inside, systemClock);
      await (status === 'active' ? book.resume(account.id) : book.suspend(account.id, { terminateStreams }));
      const change = { before: documentOf(account), after: documentOf({ ...account, status }) };
      return { result: undefined, change: { kind: 'account', id: account.id, ...change } };
    });
    answer(command, {
      json: documentOf({ ...account, status }),
      text: () => `The account ${account.name} is ${status}. ${terminateStreams ? terminateNote : followNote}`,
    });
  });
}

/** A store that no gateway has used has no packages yet, so every name is accepted. */
async function requirePackage(store: Store, name: string): Promise<void> {
  const known = (await readRows(store.db)).filter(({ kind }) => kind === 'package').map((row) => row.name);
  if (known.length === 0 || known.includes(name)) return;
  throw new CliError('package_not_found', { name }, { closest: closest(name, known) });
}

function accountTable(all: readonly Account[], byAccount: ReadonlyMap<string, readonly ApiKey[]>): string {
  const now = systemClock.now();
  const rows = all.map((account): Cell[] => [
    account.name,
    account.packageName,
    statusCell(account),
    String((byAccount.get(account.id) ?? []).filter((key) => keyState(key, now) === 'active').length),
    relativeText(account.createdAt, now),
    account.id,
  ]);
  return table(['name', 'package', 'status', 'active keys', 'created', 'id'], rows);
}

function accountDetails(account: Account, balance?: Balance): string {
  return details([
    ['account', { text: account.name, paint: colors.bold }],
    ['display name', account.displayName],
    ['id', account.id],
    ['package', account.packageName],
    ['status', statusCell(account)],
    ['time zone', account.timeZone],
    ['credit', account.credit],
    ['balance', balance && decimalText(balance.granted + balance.toppedUp)],
    ['reserved', balance && balance.reserved > 0n ? decimalText(balance.reserved) : undefined],
    ['source', account.source === 'file' ? 'configuration file' : undefined],
    ['created', momentText(account.createdAt, systemClock.now())],
  ]);
}

function statusCell({ status }: Account): Cell {
  return { text: status, paint: status === 'active' ? colors.green : colors.yellow };
}

function firstKey({ name }: Account): string {
  return `No keys yet. Create one: chat-gateway keys create --account ${name} --name laptop`;
}
