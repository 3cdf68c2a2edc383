import type { Command } from 'commander';
import { colors } from '../colors.ts';
import type { AccountId } from '../../money/accounts/ids.ts';
import { newSecret } from '../../money/accounts/secret-format.ts';
import { type ApiKey, keyState, keys } from '../../money/accounts/keys.ts';
import type { KeyDocument } from '../../manage/admin/keys/key-documents.ts';
import { keyEndpoints } from '../../manage/admin/keys/keys.ts';
import { type ResourceRow, readRows } from '../../money/catalog/resource-rows.ts';
import { systemClock } from '../../core/time/clock.ts';
import { snippet } from 'chat-formats/snippets/snippet.ts';
import type { Store } from '../../platform/store/store.ts';
import { userByEmail } from '../../money/accounts/users.ts';
import { accountOf, accountNames } from './account-of.ts';
import { allPages, type EndpointCaller, withAdmin } from '../admin-call.ts';
import { importKeys, type ImportKeyOptions } from './import-keys.ts';
import { type KeyLimitOptions, keyFieldsOf, withKeyLimits, withoutKeyLimits } from './key-options.ts';
import { terminateNote, followNote } from '../terminal/notes.ts';
import { answer, CliError, details, type Cell, table } from '../terminal/output.ts';
import { momentText, relativeText } from '../terminal/time-text.ts';

export function registerKeys(program: Command): void {
  const noun = program.command('keys').description('Manage API keys.');
  noun
    .command('list')
    .option('--account <account>', 'list only the keys of this account, by name or id')
    .description('List API keys, without their secrets.')
    .action(list);
  noun.command('show').argument('<key>', keyArgument).description('Show one API key.').action(show);
  withKeyLimits(
    noun
      .command('create')
      .requiredOption('--account <account>', 'account of the key, by name or id')
      .requiredOption('--name <name>', 'name to recognise the key by')
      .option('--member <email>', 'member of the account for whom the key counts'),
  )
    .description('Create an API key and print its secret once.')
    .action(create);
  withKeyLimits(
    noun
      .command('import')
      .option('--account <account>', 'account of the key, by name or id')
      .option('--name <name>', 'name to recognise the key by')
      .option('--secret <input>', 'read the key from standard input: -')
      .option('--sha256 <digest>', 'SHA-256 digest of the key, if the key itself is not known')
      .option('--scheme <scheme>', 'plain, or new-api for keys of new-api and one-api')
      .option('--file <path>', 'read one JSON object a line from a file, or from standard input: -'),
  )
    .description('Import API keys of another product, so that its clients need no new keys.')
    .action((options: ImportKeyOptions, command: Command) => importKeys(options, command, answerKey));
  const changing = noun.command('change').argument('<key>', keyArgument).option('--name <name>', 'new name');
  changing
    .option('--member <email>', 'member of the account for whom the key counts')
    .option('--no-member', 'let the key count for no member');
  withoutKeyLimits(withKeyLimits(changing))
    .description('Change the name or the limits of an API key. Options that are not given stay unchanged.')
    .action(change);
  noun
    .command('secret')
    .description('Generate a secret for a key in the configuration file. Nothing is stored.')
    .action((_options: unknown, command: Command) => {
      const secret = newSecret();
      answer(command, { json: { secret }, text: () => secret });
    });
  noun
    .command('rotate')
    .argument('<key>', keyArgument)
    .requiredOption('--grace <duration>', 'time for which the old key stays valid: now, 1h, 24h or another duration')
    .description('Rotate an API key: create a new one with the same limits and print its secret once.')
    .action(rotate);
  noun
    .command('revoke')
    .argument('<key>', keyArgument)
    .option('--terminate-streams', 'abort running requests instead of letting them finish')
    .description('Revoke an API key. Running answers finish.')
    .action(revoke);
}

const keyArgument = 'id, name, or masked key as `keys list` shows it';

/**
 * Finds one key by id, name or masked key. If several match, the only active one is used; otherwise throws
 * `key_ambiguous`.
 */
export async function keyOf(store: Store, reference: string): Promise<ApiKey> {
  const found = await keys(store, systemClock).find(reference);
  const active = found.filter((each) => keyState(each, systemClock.now()) === 'active');
  const candidates = active.length > 0 ? active : found;
  const [key] = candidates;
  if (!key) {
    throw new CliError('key_not_found', { key: reference });
  }
  if (candidates.length === 1) return key;
  const ids = candidates.map(({ id }) => id).join(', ');
  throw new CliError('key_ambiguous', { key: reference, count: candidates.length, ids });
}

export function allKeys(call: EndpointCaller, account?: AccountId): Promise<readonly KeyDocument[]> {
  const query = account && { account };
  return allPages(call, keyEndpoints, 'listKeys', { query, max: Number.POSITIVE_INFINITY });
}

async function list(options: { account?: string }, command: Command): Promise<void> {
  await withAdmin(command, async (call, store, { storeName }) => {
    const account = options.account === undefined ? undefined : await accountOf(store, options.account);
    const all = await allKeys(call, account?.id);
    const names = await accountNames(store);
    const none = `No keys in ${storeName}.\nCreate one: chat-gateway keys create --account ${account?.name ?? 'NAME'} --name laptop`;
    answer(command, {
      json: all.map((key) => ({ ...key, account: names.get(key.account_id) })),
      text: () => (all.length === 0 ? none : keyTable(all, (key) => names.get(key.account_id) ?? key.account_id)),
    });
  });
}

async function show(reference: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { id } = await keyOf(store, reference);
    await answerKey(command, store, await call<KeyDocument>(keyEndpoints, 'getKey', { id }));
  });
}

async function answerKey(command: Command, store: Store, key: KeyDocument): Promise<void> {
  const { name } = await accountOf(store, key.account_id);
  answer(command, { json: { ...key, account: name }, text: () => keyDetails(key, name) });
}

/** The id of the member with this e-mail address; throws `user_not_found`. `false` removes the member. */
async function memberIdOf(store: Store, email: string | false | undefined): Promise<string | null | undefined> {
  if (email === undefined || email === false) return email === false ? null : undefined;
  const user = await userByEmail(store.db, email);
  if (!user) throw new CliError('user_not_found', { email });
  return user.id;
}

interface CreateKeyOptions extends KeyLimitOptions {
  readonly member?: string;
  readonly account: string;
  readonly name: string;
}

async function create(options: CreateKeyOptions, command: Command): Promise<void> {
  const fields = { name: options.name, ...keyFieldsOf(options) };
  await withAdmin(command, async (call, store, target) => {
    const account = await accountOf(store, options.account);
    const member = await memberIdOf(store, options.member);
    const request = { body: { account: account.id, member, ...fields }, withSecret: true };
    const { secret, ...key } = await call<CreatedKey>(keyEndpoints, 'createKey', request);
    const curl = curlLine(target.url, secret, key.models ?? [], await readRows(store.db));
    answer(command, {
      json: { ...key, account: account.name, secret },
      text: () => [keyDetails(key, account.name), secretText(secret), `Try it:\n${curl}`].join('\n\n'),
    });
  });
}

type CreatedKey = KeyDocument & { readonly secret: string };

async function change(
  reference: string,
  options: KeyLimitOptions & { readonly name?: string; readonly member?: string | false },
  command: Command,
): Promise<void> {
  const body = { name: options.name, ...keyFieldsOf(options) };
  if (options.member === undefined && Object.values(body).every((field) => field === undefined)) {
    throw new CliError('no_changes', { example: '--spend-cap 10.00' }, { exitCode: 2 });
  }
  await withAdmin(command, async (call, store) => {
    const { id } = await keyOf(store, reference);
    const member = await memberIdOf(store, options.member);
    const request = { id, body: { ...body, member } };
    await answerKey(command, store, await call<KeyDocument>(keyEndpoints, 'changeKey', request));
  });
}

async function rotate(reference: string, { grace }: { grace: string }, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { id } = await keyOf(store, reference);
    const request = { id, body: { grace }, withSecret: true };
    const { secret, ...key } = await call<CreatedKey>(keyEndpoints, 'rotateKey', request);
    const old = await call<KeyDocument>(keyEndpoints, 'getKey', { id });
    const { name } = await accountOf(store, key.account_id);
    answer(command, {
      json: { ...key, account: name, secret, old },
      text: () => [keyDetails(key, name), secretText(secret), graceText(old)].join('\n\n'),
    });
  });
}

async function revoke(reference: string, options: { terminateStreams?: true }, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { id, name, display, revokedAt } = await keyOf(store, reference);
    const operation = options.terminateStreams ? 'terminateKey' : 'revokeKey';
    const key = await call<KeyDocument>(keyEndpoints, operation, { id });
    const wasActive = revokedAt === undefined;
    answer(command, {
      json: key,
      text: () =>
        [
          `The key ${name} (${display}) ${wasActive ? 'is revoked' : 'was already revoked'}.`,
          options.terminateStreams ? terminateNote : wasActive ? followNote : '',
        ].join(' '),
    });
  });
}

function keyDetails(key: KeyDocument, accountName: string): string {
  return details([
    ['key', { text: key.name, paint: colors.bold }],
    ['id', key.id],
    ['secret', key.display],
    ['account', accountName],
    ['member', key.member ?? undefined],
    ['state', keyStateCell(key)],
    ['models', key.models?.join(', ') ?? 'all models of the account'],
    ['spend cap', capText(key)],
    ['max concurrency', key.max_concurrency === null ? 'no limit' : String(key.max_concurrency)],
    ['addresses', key.addresses?.join(', ') ?? 'any'],
    ['stream: false', key.honour_stream_false ? 'one JSON body' : 'as configured for the site'],
    ['cost in answers', key.report_cost ? 'yes' : 'as configured for the site'],
    ['bodies', key.store_bodies ? 'stored, encrypted, for a limited time' : 'not stored'],
    ['replaces', key.rotated_from ?? undefined],
    ['created', timeText(key.created_at)],
    ['expires', timeText(key.expires_at) ?? 'never'],
    ['revoked', timeText(key.revoked_at)],
    ['last used', timeText(key.last_used_at) ?? 'never'],
  ]);
}

function timeText(at: string | null): string | undefined {
  return at === null ? undefined : momentText(Date.parse(at), systemClock.now());
}

function secretText(secret: string): string {
  return `${colors.bold('Secret')}, shown only once: ${colors.green(secret)}`;
}

function graceText({ id, revoked_at, expires_at }: KeyDocument): string {
  if (revoked_at !== null || expires_at === null) return `The old key (${id}) is revoked. ${followNote}`;
  return `The old key (${id}) stays valid until ${timeText(expires_at)}.`;
}

/** A curl command to try the key: a chat with a model it may use, or the list of models if none is known. */
function curlLine(url: string, secret: string, models: readonly string[], rows: readonly ResourceRow[]): string {
  const stored = rows.filter(({ kind }) => kind === 'model').map((row) => row.name);
  const model = models.length > 0 ? models.find((pattern) => !pattern.includes('*')) : stored[0];
  const access = { baseUrl: `${url}/v1`, key: secret, isOneLine: true };
  return snippet(
    'curl',
    model === undefined ? { ...access, endpoint: 'models' } : { ...access, endpoint: 'chat', model },
  );
}

/** Renders one row per key. Pass `accountName` if the keys belong to several accounts. */
export function keyTable(keys: readonly KeyDocument[], accountName?: (key: KeyDocument) => string): string {
  const now = systemClock.now();
  const moment = (at: string | null) => (at === null ? 'never' : relativeText(Date.parse(at), now));
  const rows = keys.map((key): Cell[] => [
    key.name,
    ...(accountName ? [accountName(key)] : []),
    key.display,
    keyStateCell(key),
    key.models?.join(', ') ?? 'all',
    capText(key),
    moment(key.last_used_at),
    moment(key.expires_at),
    key.id,
  ]);
  const account = accountName ? ['account'] : [];
  return table(['name', ...account, 'key', 'state', 'models', 'spend cap', 'last used', 'expires', 'id'], rows);
}

/** The spend cap and its period, such as `10.00 per day`. */
function capText({ spend_cap: cap, cap_period: period }: KeyDocument): string {
  return cap === null ? 'none' : period === null ? cap : `${cap} per ${period}`;
}

function keyStateCell({ state }: KeyDocument): Cell {
  return { text: state, paint: state === 'active' ? colors.green : colors.yellow };
}
