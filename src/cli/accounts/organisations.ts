import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { findOrganisation, organisations } from '../../money/accounts/organisations.ts';
import { accountEndpoints } from '../../manage/admin/accounts/accounts.ts';
import { organisationEndpoints } from '../../manage/admin/organisations/organisations.ts';
import type { organisationDocument } from '../../manage/admin/accounts/organisation-documents.ts';
import { closest } from '../../platform/config/file/closest.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { allPages, withAdmin } from '../admin-call.ts';
import { answer, type Cell, CliError, details, table } from '../terminal/output.ts';
import { limitCell, type LimitOptions, limitsOf, withLimits, withoutLimits } from './limit-options.ts';

type OrganisationDocument = Awaited<ReturnType<typeof organisationDocument>>;

export function registerOrganisations(program: Command): void {
  const noun = program
    .command('organisations')
    .description('Manage organisations: groups of accounts with common models, limits and one bill.');
  noun.command('list').description('List organisations.').action(list);
  noun
    .command('show')
    .argument('<organisation>', 'name or id')
    .description('Show one organisation and its accounts.')
    .action(show);
  withTerms(noun.command('create').argument('<name>', 'letters, digits, `.`, `_`, `@` and `-`'))
    .description('Create an organisation. Add accounts with `accounts change --organisation`.')
    .action(create);
  withoutLimits(withTerms(noun.command('change').argument('<organisation>', 'name or id')))
    .option('--no-models', 'allow all models of the packages of its accounts')
    .description('Change an organisation. Options that are not given stay unchanged.')
    .action(change);
  noun
    .command('remove')
    .argument('<organisation>', 'name or id')
    .description('Remove an organisation that has no accounts.')
    .action(remove);
}

function withTerms(command: Command): Command {
  return withLimits(command)
    .option('--display-name <text>', 'name shown to people, in any script')
    .option('--models <models>', 'models its accounts may use: ids, aliases or patterns, separated by commas')
    .option('--time-zone <zone>', 'time zone in which the periods of its limits begin, such as Europe/Berlin');
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, _store, { storeName }) => {
    const max = Number.POSITIVE_INFINITY;
    const all = await allPages<OrganisationDocument>(call, organisationEndpoints, 'listOrganisations', { max });
    const none = `No organisations in ${storeName}.\nCreate one: chat-gateway organisations create NAME`;
    answer(command, { json: all, text: () => (all.length === 0 ? none : organisationTable(all)) });
  });
}

function organisationTable(all: readonly OrganisationDocument[]): string {
  const rows = all.map((each): Cell[] => [
    each.name,
    String(each.accounts),
    each.recent_spend,
    each.open_amount,
    limitCell(each.limits),
    each.id,
  ]);
  return table(['name', 'accounts', 'spend 30 days', 'open amount', 'limits', 'id'], rows);
}

async function show(reference: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const id = await organisationId(store, reference);
    const organisation = await call<OrganisationDocument>(organisationEndpoints, 'getOrganisation', { id });
    const own = await allPages<{ name: string; billing: string; balance: string; recent_spend: string }>(
      call,
      accountEndpoints,
      'listAccounts',
      { query: { organisation: id }, max: Number.POSITIVE_INFINITY },
    );
    const rows = own.map(({ name, billing, balance, recent_spend: spend }): Cell[] => [name, billing, balance, spend]);
    const accounts =
      own.length === 0
        ? `No accounts yet. Add one: chat-gateway accounts change ACCOUNT --organisation ${organisation.name}`
        : table(['account', 'billing', 'balance', 'spend 30 days'], rows);
    answer(command, {
      json: { ...organisation, accounts: own },
      text: () => `${organisationDetails(organisation)}\n\n${accounts}`,
    });
  });
}

interface TermOptions extends LimitOptions {
  readonly displayName?: string;
  readonly models?: string | false;
  readonly timeZone?: string;
}

function bodyOf({ displayName, models, timeZone, ...limits }: TermOptions) {
  return {
    display_name: displayName === '' ? null : displayName,
    models: models === false ? null : models?.split(',').map((part) => part.trim()),
    limits: limitsOf(limits),
    time_zone: timeZone,
  };
}

async function create(name: string, options: TermOptions, command: Command): Promise<void> {
  await withAdmin(command, async (call) => {
    const body = { name, ...bodyOf(options) };
    const made = await call<OrganisationDocument>(organisationEndpoints, 'createOrganisation', { body });
    answer(command, { json: made, text: () => organisationDetails(made) });
  });
}

async function change(reference: string, options: TermOptions, command: Command): Promise<void> {
  const body = bodyOf(options);
  if (Object.values(body).every((value) => value === undefined)) {
    throw new CliError('no_changes', { example: '--limit 1000/month' }, { exitCode: 2 });
  }
  await withAdmin(command, async (call, store) => {
    const id = await organisationId(store, reference);
    const changed = await call<OrganisationDocument>(organisationEndpoints, 'changeOrganisation', { id, body });
    answer(command, { json: changed, text: () => organisationDetails(changed) });
  });
}

async function remove(reference: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const id = await organisationId(store, reference);
    const removed = await call<OrganisationDocument>(organisationEndpoints, 'removeOrganisation', { id });
    answer(command, { json: removed, text: () => `The organisation ${removed.name} was removed.` });
  });
}

/** Finds an organisation by name or id; throws `organisation_not_found`, with the closest name if there is one. */
export async function organisationId(store: Store, reference: string): Promise<string> {
  const found = await findOrganisation(store.db, reference);
  if (found) return found.id;
  const names = (await organisations(store, systemClock).list()).map(({ name }) => name);
  throw new CliError('organisation_not_found', { organisation: reference }, { closest: closest(reference, names) });
}

function organisationDetails(organisation: OrganisationDocument): string {
  return details([
    ['organisation', { text: organisation.name, paint: colors.bold }],
    ['display name', organisation.display_name ?? undefined],
    ['id', organisation.id],
    ['models', organisation.models?.join(', ')],
    ['time zone', organisation.time_zone],
    ['accounts', String(organisation.accounts)],
    ['spend 30 days', organisation.recent_spend],
    ['open amount', organisation.open_amount],
    ...organisation.windows.map((window) => windowLine(window)),
    ['source', organisation.source === 'file' ? 'configuration file' : undefined],
  ]);
}

/** A limit in its current period, as a line of details. */
export function windowLine(window: OrganisationDocument['windows'][number]): readonly [string, string] {
  const { period, amount, spent, left, resets_at: resetsAt } = window;
  const end = resetsAt === null ? '' : `, resets ${resetsAt}`;
  return [
    period === 'total' ? 'limit in total' : `limit per ${period}`,
    `${amount}: ${spent} spent, ${left} left${end}`,
  ];
}
