import { type Command, Option } from 'commander';
import colors from 'picocolors';
import { accounts } from '../accounts/accounts.ts';
import type { AccountId } from '../accounts/ids.ts';
import { withdrawResets } from '../accounts/one-time-links.ts';
import { openPepper } from '../accounts/pepper.ts';
import { type AdminRole, adminRoles } from '../admin/roles.ts';
import { tokenDocument } from '../admin/token-endpoints.ts';
import { createToken, listTokens, revokeToken, type Token } from '../admin/tokens.ts';
import { labelSchema } from '../admin/wire.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { accountOf } from './account-of.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { answer, type Cell, CliError, table } from './output.ts';
import type { NamedGateway } from './place.ts';
import { relativeText } from './time-text.ts';

/** The tokens of operators, and those of the owners of accounts. */
export function registerTokens(program: Command): void {
  const operators = program.command('admin-tokens').description('what operators sign in to the admin API with');
  subcommands(operators, (token) => token.role !== 'account');
  operators
    .command('create')
    .requiredOption('--name <name>', 'how you will recognise it')
    .addOption(new Option('--role <role>', 'what it may do').choices(adminRoles).makeOptionMandatory())
    .description('make a token and show its secret, this once')
    .action((options: { name: string; role: AdminRole }, command: Command) =>
      withStore(command, (store, place) => create(command, { store, place }, { ...options, accountId: undefined })),
    );
  const owners = program.command('account-tokens').description('what the owner of an account signs in with');
  subcommands(owners, (token) => token.role === 'account');
  owners
    .command('create')
    .requiredOption('--account <account>', 'whose account, by name or id')
    .option('--name <name>', 'how you will recognise it', 'dashboard')
    .description('make a token and show its secret, this once')
    .action((options: { name: string; account: string }, command: Command) =>
      withStore(command, async (store, place) => {
        const { id: accountId } = await accountOf(store, options.account);
        await create(command, { store, place }, { name: options.name, role: 'account', accountId });
      }),
    );
}

function subcommands(noun: Command, isMeant: (token: Token) => boolean): void {
  noun
    .command('list')
    .description('all of them, without their secrets')
    .action((_options, command: Command) => list(command, noun.name(), isMeant));
  noun
    .command('revoke')
    .argument('<token>', 'id, name, or what is shown of the token')
    .description('refuse a token from now on')
    .action((reference: string, _options, command: Command) =>
      revoke(command, reference, { noun: noun.name(), isMeant }),
    );
}

async function list(command: Command, noun: string, isMeant: (token: Token) => boolean): Promise<void> {
  await withStore(command, async (store) => {
    const tokens = (await listTokens(store)).filter(isMeant);
    const names = new Map((await accounts(store, systemClock).list()).map(({ id, name }) => [id, name]));
    const none = `None yet. Make one: chat-gateway ${noun} create --help`;
    answer(command, {
      json: tokens.map(tokenDocument),
      text: () => (tokens.length === 0 ? none : tokenTable(tokens, names)),
    });
  });
}

async function create(
  command: Command,
  { store, place }: { store: Store; place: NamedGateway },
  wish: Pick<Token, 'name' | 'role' | 'accountId'>,
): Promise<void> {
  const name = labelSchema.safeParse(wish.name);
  if (!name.success) throw new CliError('invalid_label', {}, { exitCode: 2 });
  const pepper = await openPepper(store, place.secrets());
  const { token, secret } = await audited(store, 'createToken', async (inside) => {
    const made = await createToken({ store: inside, clock: systemClock, pepper }, { ...wish, name: name.data });
    const change = { kind: 'token', id: made.token.id, after: tokenDocument(made.token) };
    return { result: made, change };
  });
  const path = token.role === 'account' ? '/account/v1/account' : '/admin/v1/system';
  answer(command, {
    json: { ...tokenDocument(token), secret },
    text: () =>
      [
        `${token.name} (${token.id}) has the role ${token.role}.`,
        `${colors.bold('The secret')}, shown this once: ${colors.green(secret)}`,
        `Try it:\ncurl ${place.url}${path} -H 'Authorization: Bearer ${secret}'`,
      ].join('\n\n'),
  });
}

async function revoke(command: Command, reference: string, among: MeantTokens): Promise<void> {
  await withStore(command, async (store) => {
    const before = await tokenOf(store, reference, among);
    const now = systemClock.now();
    const wasValid = await audited(store, 'revokeToken', async (inside) => {
      const result = await revokeToken(inside, { ...systemClock, now: () => now }, before.id);
      // What the token has made could still let someone in, who may be whoever the token is taken from.
      if (result) await withdrawResets(inside.db, { madeBy: before.id });
      const after = tokenDocument({ ...before, revokedAt: now });
      const change = { kind: 'token', id: before.id, before: tokenDocument(before), after };
      return { result, change: result ? change : undefined };
    });
    answer(command, {
      json: tokenDocument(wasValid ? { ...before, revokedAt: now } : before),
      text: () => `${before.name} (${before.display}) ${wasValid ? 'is revoked' : 'was revoked already'}.`,
    });
  });
}

/** The tokens that a command is about. */
interface MeantTokens {
  /** The command, such as `admin-tokens`. */
  readonly noun: string;
  readonly isMeant: (token: Token) => boolean;
}

/** The one token that is meant, or a failure that says how to mean one. */
async function tokenOf(store: Store, reference: string, { noun, isMeant }: MeantTokens): Promise<Token> {
  const display = reference.replace(/\.{2,3}/, '…');
  const names = ({ id, name, display: shown }: Token) => [id, name, shown];
  const found = (await listTokens(store)).filter((token) => {
    return isMeant(token) && (names(token).includes(reference) || token.display === display);
  });
  const [token] = found;
  if (!token) throw new CliError('token_not_found', { token: reference, command: noun });
  if (found.length === 1) return token;
  const ids = found.map(({ id }) => id).join(', ');
  throw new CliError('token_ambiguous', { token: reference, count: found.length, ids });
}

function tokenTable(tokens: readonly Token[], accountNames: ReadonlyMap<AccountId, string>): string {
  const now = systemClock.now();
  const rows = tokens.map((token): Cell[] => [
    token.name,
    token.role,
    token.accountId === undefined ? '' : (accountNames.get(token.accountId) ?? token.accountId),
    token.display,
    token.revokedAt === undefined ? { text: 'active', paint: colors.green } : { text: 'revoked', paint: colors.yellow },
    relativeText(token.createdAt, now),
    token.id,
  ]);
  return table(['name', 'role', 'account', 'token', 'state', 'made', 'id'], rows);
}
