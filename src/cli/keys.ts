import type { Command } from 'commander';
import colors from 'picocolors';
import { accounts } from '../accounts/accounts.ts';
import { type ApiKey, createKey, keys } from '../accounts/keys.ts';
import { openPepper } from '../accounts/pepper.ts';
import { type ResourceRow, readRows } from '../catalog/resource-rows.ts';
import { modelPattern } from '../config/names.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { accountOf } from './accounts.ts';
import { withStore } from './context.ts';
import { documentOf } from './document.ts';
import { durationOf } from './duration-option.ts';
import { keyStateCell, keyTable } from './key-table.ts';
import { answer, CliError, details } from './output.ts';
import { momentText } from './time-text.ts';

export function registerKeys(program: Command): void {
  const noun = program.command('keys').description('what clients sign in with');
  noun
    .command('list')
    .option('--account <account>', 'only the keys of this account, by name or id')
    .description('all keys, without their secrets')
    .action(list);
  noun.command('show').argument('<key>', keyArgument).description('one key').action(show);
  noun
    .command('create')
    .requiredOption('--account <account>', 'whose key it is, by name or id')
    .requiredOption('--name <name>', 'how you will recognise it')
    .option('--models <models>', 'limit it to these models: ids, aliases or patterns, separated by commas')
    .option('--expires <duration>', 'make it end by itself, such as 12h or 30d')
    .description('make a key and show its secret, this once')
    .action(create);
  noun
    .command('revoke')
    .argument('<key>', keyArgument)
    .description('refuse a key from now on; answers that are running finish')
    .action(revoke);
}

const keyArgument = 'id, name, or what is shown of the key';

/** The one key that is meant, or a failure that says how to mean one. */
export async function keyOf(store: Store, reference: string): Promise<ApiKey> {
  const found = await keys(store, systemClock).find(reference);
  const [key] = found;
  if (!key) {
    throw new CliError(`There is no key "${reference}".`, { next: 'chat-gateway keys list shows them.' });
  }
  if (found.length === 1) return key;
  throw new CliError(`"${reference}" could be ${found.length} keys.`, {
    next: `Give the id of one: ${found.map(({ id }) => id).join(', ')}`,
  });
}

async function list(options: { account?: string }, command: Command): Promise<void> {
  await withStore(command, async (store, { storeName }) => {
    const account = options.account === undefined ? undefined : await accountOf(store, options.account);
    const all = await keys(store, systemClock).list({ accountId: account?.id });
    const names = new Map((await accounts(store, systemClock).list()).map(({ id, name }) => [id, name]));
    const none = `No keys in ${storeName}.\nMake one: chat-gateway keys create --account ${account?.name ?? 'NAME'} --name laptop`;
    answer(command, {
      json: all.map((key) => ({ ...documentOf(key), account: names.get(key.accountId) })),
      text: () => (all.length === 0 ? none : keyTable(all, ({ accountId }) => names.get(accountId) ?? accountId)),
    });
  });
}

async function show(reference: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const key = await keyOf(store, reference);
    const account = await accountOf(store, key.accountId);
    answer(command, {
      json: { ...documentOf(key), account: account.name },
      text: () => keyDetails(key, account.name),
    });
  });
}

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly models?: string;
  readonly expires?: string;
}

async function create(options: CreateOptions, command: Command): Promise<void> {
  const models = options.models === undefined ? undefined : patterns(options.models);
  const expiresAt = options.expires === undefined ? undefined : systemClock.now() + durationOf(options.expires);
  const name = keyName(options.name);
  await withStore(command, async (store, place) => {
    const account = await accountOf(store, options.account);
    const pepper = await openPepper(store, { data: place.data, secret: place.secret() });
    const parts = { store, clock: systemClock, pepper };
    const { key, secret } = await createKey(parts, { accountId: account.id, name, models, expiresAt });
    const curl = curlLine(place.url, secret, models ?? [], await readRows(store.db));
    answer(command, {
      json: { ...documentOf(key), account: account.name, secret },
      text: () =>
        [
          keyDetails(key, account.name),
          `${colors.bold('The secret')}, shown this once: ${colors.green(secret)}`,
          `Try it:\n${curl}`,
        ].join('\n\n'),
    });
  });
}

async function revoke(reference: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const { id, name, display } = await keyOf(store, reference);
    const wasActive = await keys(store, systemClock).revoke(id);
    const key = await keyOf(store, id);
    answer(command, {
      json: documentOf(key),
      text: () =>
        wasActive
          ? `${name} (${display}) is revoked. A running gateway follows within a second.`
          : `${name} (${display}) was revoked already.`,
    });
  });
}

function keyDetails(key: ApiKey, accountName: string): string {
  const now = systemClock.now();
  const moment = (at: number | undefined) => (at === undefined ? undefined : momentText(at, now));
  return details([
    ['key', { text: key.name, paint: colors.bold }],
    ['id', key.id],
    ['secret', key.display],
    ['account', accountName],
    ['state', keyStateCell(key)],
    ['models', key.models?.join(', ') ?? 'all that the account may use'],
    ['made', moment(key.createdAt)],
    ['expires', moment(key.expiresAt) ?? 'never'],
    ['revoked', moment(key.revokedAt)],
    ['last used', moment(key.lastUsedAt) ?? 'never'],
  ]);
}

/** A line that works as it is: with a model the key may use if one is known here, or else the list of models. */
function curlLine(url: string, secret: string, models: readonly string[], rows: readonly ResourceRow[]): string {
  const authorization = `-H 'Authorization: Bearer ${secret}'`;
  const stored = rows.filter(({ kind }) => kind === 'model').map((row) => row.name);
  const model = models.length > 0 ? models.find((pattern) => !pattern.includes('*')) : stored[0];
  if (model === undefined) return `curl ${url}/v1/models ${authorization}`;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }).replaceAll("'", `'\\''`);
  return `curl -N ${url}/v1/chat/completions ${authorization} -H 'Content-Type: application/json' -d '${body}'`;
}

function keyName(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= 64 && !/\p{C}/u.test(name)) return name;
  throw new CliError('--name must have 1 to 64 printable characters.', { exitCode: 2 });
}

function patterns(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const pattern = modelPattern.safeParse(part.trim());
    if (pattern.success) return pattern.data;
    const next = 'Write --models a,b with model ids, aliases or patterns such as acme-*.';
    throw new CliError(`--models ${text}: a model ${pattern.error.issues[0]?.message}.`, { next, exitCode: 2 });
  });
}
