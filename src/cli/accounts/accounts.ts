import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { type Account, accounts } from '../../money/accounts/accounts.ts';
import { accountEndpoints } from '../../manage/admin/accounts/accounts.ts';
import type { KeyDocument } from '../../manage/admin/keys/key-documents.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type LimitText, limitText } from '../../core/limit.ts';
import { type LimitOptions, limitsOf, withLimits, withoutLimits } from './limit-options.ts';
import { registerMembers } from './members.ts';
import { windowLine } from './organisations.ts';
import { accountOf, firstAccount } from './account-of.ts';
import { withAdmin } from '../admin-call.ts';
import { documentOf } from '../terminal/document.ts';
import { keyTable, allKeys } from './keys.ts';
import { terminateNote, followNote } from '../terminal/notes.ts';
import { answer, type Cell, CliError, details, table } from '../terminal/output.ts';
import { momentText, relativeText } from '../terminal/time-text.ts';
import { randomUUID } from 'node:crypto';
import { moneyEndpoints } from '../../manage/admin/money/money.ts';

export function registerAccounts(program: Command): void {
  const noun = program.command('accounts').description('Manage accounts. An account has API keys and a balance.');
  noun.command('list').description('List accounts.').action(list);
  noun.command('show').argument('<account>', 'name or id').description('Show one account and its keys.').action(show);
  withLimits(noun.command('create').argument('<name>', 'letters, digits, `.`, `_`, `@` and `-`'))
    .option('--postpaid', 'allow a negative balance, which is paid later')
    .option('--organisation <organisation>', 'organisation that it belongs to, by name or id')
    .option('--display-name <text>', 'name shown to people, in any script')
    .option('--package <package>', 'package of the account', 'standard')
    .option('--credit <amount>', 'amount to grant, such as 5.00')
    .option('--time-zone <zone>', 'time zone in which its days begin, such as Europe/Berlin; default UTC')
    .description('Create an account.')
    .action(create);
  withoutLimits(withLimits(noun.command('change').argument('<account>', 'name or id')))
    .option('--postpaid', 'allow a negative balance, which is paid later')
    .option('--prepaid', 'refuse requests when the balance is used up')
    .option('--package <package>', 'package of the account')
    .option('--organisation <organisation>', 'organisation that it belongs to, by name or id')
    .option('--no-organisation', 'remove it from its organisation')
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
      setStatus(reference, options.terminateStreams ? 'terminate' : 'suspend', command),
    );
  noun
    .command('resume')
    .argument('<account>', 'name or id')
    .description('Resume an account: accept its keys again.')
    .action((reference: string, _options, command: Command) => setStatus(reference, 'resume', command));
  registerCredit(noun);
  registerMembers(noun);
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store, { storeName }) => {
    const all = await accounts(store, systemClock).list();
    const byAccount = Map.groupBy(await allKeys(call), (key) => key.account_id);
    answer(command, {
      json: all.map(accountJson),
      text: () => (all.length === 0 ? `No accounts in ${storeName}.\n${firstAccount}` : accountTable(all, byAccount)),
    });
  });
}

async function show(reference: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const account = await accountOf(store, reference);
    const own = await allKeys(call, account.id);
    const { windows, organisation } = await call<AccountFacts>(accountEndpoints, 'getAccount', { id: account.id });
    const balance = await call<AccountBalance>(moneyEndpoints, 'getBalance', { id: account.id });
    answer(command, {
      json: { ...accountJson(account), windows, balance, keys: own },
      text: () =>
        `${accountDetails(account, { balance, windows, organisation })}\n\n${own.length === 0 ? firstKey(account) : keyTable(own)}`,
    });
  });
}

interface AccountFacts {
  readonly windows: readonly Parameters<typeof windowLine>[0][];
  readonly organisation: string | null;
}

/** The `Balance` of the admin API. `spendable` is null if only limits end the account. */
interface AccountBalance {
  readonly total: string;
  readonly open_amount: string;
  readonly spendable: string | null;
  readonly reserved: string;
}

interface ChangeOptions extends LimitOptions {
  readonly timeZone?: string;
  readonly displayName?: string;
  readonly postpaid?: true;
  readonly prepaid?: true;
  readonly package?: string;
  readonly organisation?: string | false;
}

async function change(reference: string, options: ChangeOptions, command: Command): Promise<void> {
  const { timeZone: time_zone, displayName, postpaid, prepaid, organisation } = options;
  const fields = {
    time_zone,
    display_name: displayName === '' ? null : displayName,
    package: options.package,
    billing: postpaid ? 'postpaid' : prepaid ? 'prepaid' : undefined,
    limits: limitsOf(options),
    organisation: organisation === false ? null : organisation,
  };
  if (Object.values(fields).every((value) => value === undefined)) {
    throw new CliError('no_changes', { example: '--time-zone UTC' }, { exitCode: 2 });
  }
  await withAdmin(command, async (call, store) => {
    const { id } = await accountOf(store, reference);
    await call(accountEndpoints, 'changeAccount', {
      id,
      body: fields,
    });
    const account = await accountOf(store, id);
    answer(command, { json: accountJson(account), text: () => accountDetails(account) });
  });
}

interface CreateAccountOptions extends LimitOptions {
  readonly package: string;
  readonly postpaid?: true;
  readonly organisation?: string;
  readonly displayName?: string;
  readonly credit?: string;
  readonly timeZone?: string;
}

async function create(name: string, options: CreateAccountOptions, command: Command): Promise<void> {
  const { credit, displayName, timeZone, organisation, postpaid } = options;
  const billing = postpaid ? 'postpaid' : undefined;
  const terms = { billing, limits: limitsOf(options), organisation, time_zone: timeZone };
  const body = { name, display_name: displayName || undefined, package: options.package, credit, ...terms };
  await withAdmin(command, async (call, store) => {
    const { id } = await call<{ id: string }>(accountEndpoints, 'createAccount', { body });
    const account = { ...(await accountOf(store, id)), credit };
    answer(command, {
      json: accountJson(account),
      text: () => `${accountDetails(account)}\n\n${firstKey(account)}`,
    });
  });
}

type StatusVerb = 'suspend' | 'terminate' | 'resume';

async function setStatus(reference: string, verb: StatusVerb, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { id } = await accountOf(store, reference);
    await call(accountEndpoints, `${verb}Account`, { id });
    const account = await accountOf(store, id);
    const note = verb === 'terminate' ? terminateNote : followNote;
    answer(command, {
      json: accountJson(account),
      text: () => `The account ${account.name} is ${account.status}. ${note}`,
    });
  });
}

function accountTable(all: readonly Account[], byAccount: ReadonlyMap<string, readonly KeyDocument[]>): string {
  const now = systemClock.now();
  const rows = all.map((account): Cell[] => [
    account.name,
    account.packageName,
    statusCell(account),
    String((byAccount.get(account.id) ?? []).filter(({ state }) => state === 'active').length),
    relativeText(account.createdAt, now),
    account.id,
  ]);
  return table(['name', 'package', 'status', 'active keys', 'created', 'id'], rows);
}

/** The document of an account, as `--json` prints it. */
function accountJson(account: Account) {
  return { ...documentOf(account), limits: account.limits.map(limitText) };
}

interface ShownFacts extends Partial<AccountFacts> {
  readonly balance?: AccountBalance;
}

function accountDetails(account: Account, { balance, windows, organisation }: ShownFacts = {}): string {
  const limits = windows ? windows.map(windowLine) : account.limits.map((limit) => plainLimit(limitText(limit)));
  return details([
    ['account', { text: account.name, paint: colors.bold }],
    ['display name', account.displayName],
    ['id', account.id],
    ['package', account.packageName],
    ['status', statusCell(account)],
    ['time zone', account.timeZone],
    ['credit', account.credit],
    ['organisation', organisation ?? undefined],
    ['billing', account.billing],
    ...limits,
    ['balance', balance?.total],
    ['open amount', amountAboveZero(balance?.open_amount)],
    ['spendable', balance && (balance.spendable ?? 'up to its limits')],
    ['reserved', amountAboveZero(balance?.reserved)],
    ['source', account.source === 'file' ? 'configuration file' : undefined],
    ['created', momentText(account.createdAt, systemClock.now())],
  ]);
}

function amountAboveZero(amount: string | undefined): string | undefined {
  return amount === undefined || /^0\.0+$/.test(amount) ? undefined : amount;
}

function plainLimit({ amount, period }: LimitText): readonly [string, string] {
  return [period === 'total' ? 'limit in total' : `limit per ${period}`, amount];
}

function statusCell({ status }: Account): Cell {
  return { text: status, paint: status === 'active' ? colors.green : colors.yellow };
}

function firstKey({ name }: Account): string {
  return `No keys yet. Create one: chat-gateway keys create --account ${name} --name laptop`;
}

interface CreditOptions {
  readonly as: string;
  readonly reason: string;
  readonly reference?: string;
}

/** `accounts credit`: changes the balance of an account and records who did it and why. */
function registerCredit(noun: Command): void {
  noun
    .command('credit')
    .argument('<account>', 'name or id')
    .argument('<amount>', 'amount, such as 5.00; an adjustment may be negative: write it after `--`')
    .requiredOption('--reason <text>', 'reason, shown in the ledger')
    .option(
      '--as <kind>',
      'grant (free credit), topup (paid), refund (of a wrong charge) or adjust (a correction)',
      'topup',
    )
    .option('--reference <text>', 'reference, such as an invoice number; booked only once for each kind of --as')
    .description('Credit an account, or correct its balance.')
    .action(credit);
}

async function credit(name: string, amount: string, options: CreditOptions, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const account = await accountOf(store, name);
    const { reason, reference = randomUUID() } = options;
    const kind = options.as === 'topup' ? 'top_up' : options.as;
    const request = { id: account.id, body: { kind, amount, reference, reason } };
    const credited = await call<CreditedBalance>(moneyEndpoints, 'creditAccount', request);
    const { is_new, total, granted, topped_up } = credited;
    answer(command, {
      json: { account: account.name, is_new, granted, topped_up, reference },
      text: () =>
        `${is_new ? 'Booked' : `Nothing booked: the reference ${reference} exists already`}. The balance of ${account.name} is ${total} (${granted} granted, ${topped_up} topped up).`,
    });
  });
}

interface CreditedBalance {
  readonly is_new: boolean;
  readonly total: string;
  readonly granted: string;
  readonly topped_up: string;
}
