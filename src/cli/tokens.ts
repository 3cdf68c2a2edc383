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

/** API tokens of operators and of account owners. */
export function registerTokens(program: Command): void {
  const operators = program.command('admin-tokens').description('Manage API tokens of operators, for the admin API.');
  subcommands(operators, (token) => token.role !== 'account');
  operators
    .command('create')
    .requiredOption('--name <name>', 'name to recognise the token by')
    .addOption(new Option('--role <role>', 'role of the token').choices(adminRoles).makeOptionMandatory())
    .description('Create a token and print its secret once.')
    .action((options: { name: string; role: AdminRole }, command: Command) =>
      withStore(command, (store, target) => create(command, { store, target }, { ...options, accountId: undefined })),
    );
  const owners = program
    .command('account-tokens')
    .description('Manage API tokens of account owners, for the account API.');
  subcommands(owners, (token) => token.role === 'account');
  owners
    .command('create')
    .requiredOption('--account <account>', 'account of the token, by name or id')
    .option('--name <name>', 'name to recognise the token by', 'dashboard')
    .description('Create a token and print its secret once.')
    .action((options: { name: string; account: string }, command: Command) =>
      withStore(command, async (store, target) => {
        const { id: accountId } = await accountOf(store, options.account);
        await create(command, { store, target }, { name: options.name, role: 'account', accountId });
      }),
    );
}

function subcommands(noun: Command, isManaged: (token: Token) => boolean): void {
  noun
    .command('list')
    .description('List tokens, without their secrets.')
    .action((_options, command: Command) => list(command, noun.name(), isManaged));
  noun
    .command('revoke')
    .argument('<token>', 'id, name, or masked token as `list` shows it')
    .description('Revoke a token.')
    .action((reference: string, _options, command: Command) =>
      revoke(command, reference, { noun: noun.name(), isManaged }),
    );
}

async function list(command: Command, noun: string, isManaged: (token: Token) => boolean): Promise<void> {
  await withStore(command, async (store) => {
    const tokens = (await listTokens(store)).filter(isManaged);
    const names = new Map((await accounts(store, systemClock).list()).map(({ id, name }) => [id, name]));
    const none = `No tokens yet. Create one: chat-gateway ${noun} create --help`;
    answer(command, {
      json: tokens.map(tokenDocument),
      text: () => (tokens.length === 0 ? none : tokenTable(tokens, names)),
    });
  });
}

async function create(
  command: Command,
  { store, target }: { store: Store; target: NamedGateway },
  newToken: Pick<Token, 'name' | 'role' | 'accountId'>,
): Promise<void> {
  const name = labelSchema.safeParse(newToken.name);
  if (!name.success) throw new CliError('invalid_label', {}, { exitCode: 2 });
  const pepper = await openPepper(store, target.secrets());
  const { token, secret } = await audited(store, 'createToken', async (inside) => {
    const made = await createToken({ store: inside, clock: systemClock, pepper }, { ...newToken, name: name.data });
    const change = { kind: 'token', id: made.token.id, after: tokenDocument(made.token) };
    return { result: made, change };
  });
  const path = token.role === 'account' ? '/account/v1/account' : '/admin/v1/system';
  answer(command, {
    json: { ...tokenDocument(token), secret },
    text: () =>
      [
        `Created the token ${token.name} (${token.id}) with the role ${token.role}.`,
        `${colors.bold('Secret')}, shown only once: ${colors.green(secret)}`,
        `Try it:\ncurl ${target.url}${path} -H 'Authorization: Bearer ${secret}'`,
      ].join('\n\n'),
  });
}

async function revoke(command: Command, reference: string, among: TokenFilter): Promise<void> {
  await withStore(command, async (store) => {
    const before = await tokenOf(store, reference, among);
    const now = systemClock.now();
    const wasValid = await audited(store, 'revokeToken', async (inside) => {
      const result = await revokeToken(inside, { ...systemClock, now: () => now }, before.id);
      // Withdraw its reset links too: the former holder of the token may have them.
      if (result) await withdrawResets(inside.db, { createdBy: before.id });
      const after = tokenDocument({ ...before, revokedAt: now });
      const change = { kind: 'token', id: before.id, before: tokenDocument(before), after };
      return { result, change: result ? change : undefined };
    });
    answer(command, {
      json: tokenDocument(wasValid ? { ...before, revokedAt: now } : before),
      text: () => `The token ${before.name} (${before.display}) ${wasValid ? 'is revoked' : 'was already revoked'}.`,
    });
  });
}

/** The tokens that a command group manages. */
interface TokenFilter {
  /** Name of the command group, such as `admin-tokens`. */
  readonly noun: string;
  readonly isManaged: (token: Token) => boolean;
}

/** Finds one token by id, name or masked token; throws `token_not_found` or `token_ambiguous`. */
async function tokenOf(store: Store, reference: string, { noun, isManaged }: TokenFilter): Promise<Token> {
  const display = reference.replace(/\.{2,3}/, '…');
  const names = ({ id, name, display: shown }: Token) => [id, name, shown];
  const found = (await listTokens(store)).filter((token) => {
    return isManaged(token) && (names(token).includes(reference) || token.display === display);
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
  return table(['name', 'role', 'account', 'token', 'state', 'created', 'id'], rows);
}
