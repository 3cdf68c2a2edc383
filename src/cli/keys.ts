import type { Command } from 'commander';
import colors from 'picocolors';
import { accounts } from '../accounts/accounts.ts';
import { newSecret } from '../accounts/key-format.ts';
import { limitKey } from '../accounts/key-limits.ts';
import { type ApiKey, createKey, keyState, keys, rotateKey, tellOfStoring } from '../accounts/keys.ts';
import { openPepper } from '../accounts/pepper.ts';
import { type ResourceRow, readRows } from '../catalog/resource-rows.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { accountOf } from './account-of.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { documentOf } from './document.ts';
import { durationOf } from './duration-option.ts';
import {
  type KeyLimitOptions,
  keyLimitsOf,
  keyName,
  newKeyLimits,
  periodWithoutCap,
  requireStoring,
  withKeyLimits,
  withoutKeyLimits,
} from './key-options.ts';
import { capText, keyStateCell, keyTable } from './key-table.ts';
import { terminateNote, followNote } from './notes.ts';
import { answer, CliError, details } from './output.ts';
import type { NamedGateway } from './place.ts';
import { momentText } from './time-text.ts';

export function registerKeys(program: Command): void {
  const noun = program.command('keys').description('what clients sign in with');
  noun
    .command('list')
    .option('--account <account>', 'only the keys of this account, by name or id')
    .description('all keys, without their secrets')
    .action(list);
  noun.command('show').argument('<key>', keyArgument).description('one key').action(show);
  withKeyLimits(
    noun
      .command('create')
      .requiredOption('--account <account>', 'whose key it is, by name or id')
      .requiredOption('--name <name>', 'how you will recognise it'),
  )
    .description('make a key and show its secret, this once')
    .action(create);
  const changing = noun.command('change').argument('<key>', keyArgument).option('--name <name>', 'call it so');
  withoutKeyLimits(withKeyLimits(changing))
    .description('change the name or the limits of a key; what is not said stays')
    .action(change);
  noun
    .command('secret')
    .description('make up a secret for a key that the configuration file names; nothing is stored')
    .action((_options: unknown, command: Command) => {
      const secret = newSecret();
      answer(command, { json: { secret }, text: () => secret });
    });
  noun
    .command('rotate')
    .argument('<key>', keyArgument)
    .requiredOption('--grace <duration>', 'how long the old one stays valid: now, 1h, 24h or any other duration')
    .description('replace a key by a new one on the same terms, and show its secret, this once')
    .action(rotate);
  noun
    .command('revoke')
    .argument('<key>', keyArgument)
    .option('--terminate-streams', 'end its running answers too, instead of letting them finish')
    .description('refuse a key from now on; answers that are running finish')
    .action(revoke);
}

const keyArgument = 'id, name, or what is shown of the key';

/** The one key that is meant, or a failure that says how to mean one. A key that works is meant before those that do not. */
export async function keyOf(store: Store, reference: string): Promise<ApiKey> {
  const found = await keys(store, systemClock).find(reference);
  const active = found.filter((each) => keyState(each, systemClock.now()) === 'active');
  const [key] = active.length > 0 ? active : found;
  if (!key) {
    throw new CliError('key_not_found', { key: reference });
  }
  if (found.length === 1 || active.length === 1) return key;
  const ids = found.map(({ id }) => id).join(', ');
  throw new CliError('key_ambiguous', { key: reference, count: found.length, ids });
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

interface CreateKeyOptions extends KeyLimitOptions {
  readonly account: string;
  readonly name: string;
}

async function create(options: CreateKeyOptions, command: Command): Promise<void> {
  const limits = newKeyLimits(options, systemClock.now());
  const name = keyName(options.name);
  await withStore(command, async (store, place) => {
    requireStoring(options, place);
    const account = await accountOf(store, options.account);
    const parts = await keyMaking(store, place);
    const terms = { accountId: account.id, name, ...limits };
    const { key, secret } = await audited(store, 'createKey', async (inside) => {
      const made = await createKey({ ...parts, store: inside }, terms);
      return { result: made, change: { kind: 'key', id: made.key.id, after: documentOf(made.key) } };
    });
    const curl = curlLine(place.url, secret, limits.models ?? [], await readRows(store.db));
    answer(command, {
      json: { ...documentOf(key), account: account.name, secret },
      text: () => [keyDetails(key, account.name), secretText(secret), `Try it:\n${curl}`].join('\n\n'),
    });
  });
}

async function change(
  reference: string,
  options: KeyLimitOptions & { readonly name?: string },
  command: Command,
): Promise<void> {
  const name = options.name === undefined ? undefined : keyName(options.name);
  const limits = { name, ...keyLimitsOf(options, systemClock.now()) };
  if (Object.values(limits).every((limit) => limit === undefined)) {
    throw new CliError('no_changes', { example: '--spend-cap 10.00' }, { exitCode: 2 });
  }
  await withStore(command, async (store, place) => {
    requireStoring(options, place);
    const before = await keyOf(store, reference);
    const { id } = before;
    if (limits.capPeriod && !(limits.spendCap ?? before.spendCap)) throw periodWithoutCap();
    const key = await audited(store, 'changeKey', async (inside) => {
      await limitKey(inside, id, limits);
      if (limits.storeBodies && !before.storeBodies) await tellOfStoring(inside.db, before, systemClock.now());
      const after = await keyOf(inside, id);
      return { result: after, change: { kind: 'key', id, before: documentOf(before), after: documentOf(after) } };
    });
    const account = await accountOf(store, key.accountId);
    answer(command, { json: { ...documentOf(key), account: account.name }, text: () => keyDetails(key, account.name) });
  });
}

async function rotate(reference: string, options: { grace: string }, command: Command): Promise<void> {
  const graceMs = options.grace === 'now' ? 0 : durationOf(options.grace);
  await withStore(command, async (store, place) => {
    const before = await keyOf(store, reference);
    const { id, name, accountId } = before;
    const parts = await keyMaking(store, place);
    const rotated = await audited(store, 'rotateKey', async (inside) => {
      const result = await rotateKey({ ...parts, store: inside }, id, { graceMs });
      const after = result && { old: documentOf(result.old), new: documentOf(result.key) };
      return { result, change: after && { kind: 'key', id, before: documentOf(before), after } };
    });
    if (!rotated) throw new CliError('key_not_active', { key: name, account: accountId });
    const { key, secret, old } = rotated;
    const account = await accountOf(store, accountId);
    answer(command, {
      json: { ...documentOf(key), account: account.name, secret, old: documentOf(old) },
      text: () => [keyDetails(key, account.name), secretText(secret), graceText(old)].join('\n\n'),
    });
  });
}

async function revoke(reference: string, options: { terminateStreams?: true }, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const before = await keyOf(store, reference);
    const { id, name, display } = before;
    const { wasActive, key } = await audited(
      store,
      options.terminateStreams ? 'terminateKey' : 'revokeKey',
      async (inside) => {
        const revoked = await keys(inside, systemClock).revoke(id, { terminateStreams: options.terminateStreams });
        const after = await keyOf(inside, id);
        const change = { kind: 'key', id, before: documentOf(before), after: documentOf(after) };
        return { result: { wasActive: revoked, key: after }, change };
      },
    );
    answer(command, {
      json: documentOf(key),
      text: () =>
        [
          `${name} (${display}) ${wasActive ? 'is revoked' : 'was revoked already'}.`,
          options.terminateStreams ? terminateNote : wasActive ? followNote : '',
        ].join(' '),
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
    ['spend cap', capText(key)],
    ['at once', key.maxConcurrency === undefined ? 'as many as come' : String(key.maxConcurrency)],
    ['addresses', key.addresses?.join(', ') ?? 'any'],
    ['stream: false', key.honourStreamFalse ? 'gets one JSON body' : 'as its site says'],
    ['bodies', key.storeBodies ? 'stored, encrypted and for a while' : 'not stored'],
    ['replaces', key.rotatedFrom],
    ['made', moment(key.createdAt)],
    ['expires', moment(key.expiresAt) ?? 'never'],
    ['revoked', moment(key.revokedAt)],
    ['last used', moment(key.lastUsedAt) ?? 'never'],
  ]);
}

function secretText(secret: string): string {
  return `${colors.bold('The secret')}, shown this once: ${colors.green(secret)}`;
}

function graceText({ id, revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== undefined || expiresAt === undefined) return `The old key (${id}) is revoked. ${followNote}`;
  return `The old key (${id}) stays valid until ${momentText(expiresAt, systemClock.now())}.`;
}

async function keyMaking(store: Store, place: NamedGateway) {
  const pepper = await openPepper(store, place.secrets());
  return { store, clock: systemClock, pepper };
}

/** A line that works as it is: with a model the key may use if one is known here, or else the list of models. */
function curlLine(url: string, secret: string, models: readonly string[], rows: readonly ResourceRow[]): string {
  const authorization = `-H 'Authorization: Bearer ${secret}'`;
  const stored = rows.filter(({ kind }) => kind === 'model').map((row) => row.name);
  const model = models.length > 0 ? models.find((pattern) => !pattern.includes('*')) : stored[0];
  if (model === undefined) return `curl ${url}/v1/models ${authorization}`;
  const asked = { model, messages: [{ role: 'user', content: 'Hello!' }], stream: true };
  const body = JSON.stringify(asked).replaceAll("'", `'\\''`);
  return `curl -N ${url}/v1/chat/completions ${authorization} -H 'Content-Type: application/json' -d '${body}'`;
}
