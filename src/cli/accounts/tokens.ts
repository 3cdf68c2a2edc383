import { type Command, Option } from 'commander';
import { colors } from '../colors.ts';
import type { AccountId } from '../../money/accounts/ids.ts';
import type { Role } from '../../manage/admin/api/caller.ts';
import { type OperatorRole, operatorRoles } from '../../money/accounts/operators.ts';
import { type tokenDocument, tokenEndpoints } from '../../manage/admin/tokens/token-endpoints.ts';
import { systemClock } from '../../core/time/clock.ts';
import { accountOf, accountNames } from './account-of.ts';
import { allPages, type EndpointCaller, withAdmin } from '../admin-call.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';
import type { NamedGateway } from '../place.ts';
import { relativeText } from '../terminal/time-text.ts';

type TokenDocument = ReturnType<typeof tokenDocument>;

export function registerTokens(program: Command): void {
  const operators = program.command('admin-tokens').description('Manage API tokens of operators, for the admin API.');
  subcommands(operators, (token) => token.role !== 'account');
  operators
    .command('create')
    .requiredOption('--name <name>', 'name to recognise the token by')
    .addOption(new Option('--role <role>', 'role of the token').choices(operatorRoles).makeOptionMandatory())
    .description('Create a token and print its secret once.')
    .action((options: { name: string; role: OperatorRole }, command: Command) =>
      withAdmin(command, (call, _store, target) => create(command, { call, target }, options)),
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
      withAdmin(command, async (call, store, target) => {
        const { id: account } = await accountOf(store, options.account);
        await create(command, { call, target }, { name: options.name, role: 'account', account });
      }),
    );
}

function subcommands(noun: Command, isManaged: TokenFilter['isManaged']): void {
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

async function list(command: Command, noun: string, isManaged: TokenFilter['isManaged']): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const tokens = (await allTokens(call)).filter(isManaged);
    const names = await accountNames(store);
    const none = `No tokens yet. Create one: chat-gateway ${noun} create --help`;
    answer(command, { json: tokens, text: () => (tokens.length === 0 ? none : tokenTable(tokens, names)) });
  });
}

function allTokens(call: EndpointCaller): Promise<readonly TokenDocument[]> {
  return allPages(call, tokenEndpoints, 'listTokens', { max: Number.POSITIVE_INFINITY });
}

async function create(
  command: Command,
  { call, target }: { call: EndpointCaller; target: NamedGateway },
  body: { readonly name: string; readonly role: Role; readonly account?: AccountId },
): Promise<void> {
  const request = { body, withSecret: true };
  const token = await call<TokenDocument & { secret: string }>(tokenEndpoints, 'createToken', request);
  const path = token.role === 'account' ? '/account/v1/account' : '/admin/v1/system';
  answer(command, {
    json: token,
    text: () =>
      [
        `Created the token ${token.name} (${token.id}) with the role ${token.role}.`,
        `${colors.bold('Secret')}, shown only once: ${colors.green(token.secret)}`,
        `Try it:\ncurl ${target.url}${path} -H 'Authorization: Bearer ${token.secret}'`,
      ].join('\n\n'),
  });
}

async function revoke(command: Command, reference: string, among: TokenFilter): Promise<void> {
  await withAdmin(command, async (call) => {
    const before = tokenIn(await allTokens(call), reference, among);
    const after = await call<TokenDocument>(tokenEndpoints, 'revokeToken', { id: before.id });
    const outcome = before.revoked_at === null ? 'is revoked' : 'was already revoked';
    answer(command, { json: after, text: () => `The token ${before.name} (${before.display}) ${outcome}.` });
  });
}

interface TokenFilter {
  readonly noun: string;
  readonly isManaged: (token: TokenDocument) => boolean;
}

/** Finds one token by id, name or masked token; throws `token_not_found` or `token_ambiguous`. */
function tokenIn(tokens: readonly TokenDocument[], reference: string, { noun, isManaged }: TokenFilter): TokenDocument {
  const masked = reference.replace(/\.{2,3}/, '…');
  const found = tokens.filter((token) => {
    const isNamed = token.id === reference || token.name === reference || token.display === masked;
    return isManaged(token) && isNamed;
  });
  const [token] = found;
  if (!token) throw new CliError('token_not_found', { token: reference, command: noun });
  if (found.length === 1) return token;
  const ids = found.map(({ id }) => id).join(', ');
  throw new CliError('token_ambiguous', { token: reference, count: found.length, ids });
}

function tokenTable(tokens: readonly TokenDocument[], accountNames: ReadonlyMap<string, string>): string {
  const now = systemClock.now();
  const rows = tokens.map((token): Cell[] => [
    token.name,
    token.role,
    token.account_id === null ? '' : (accountNames.get(token.account_id) ?? token.account_id),
    token.display,
    token.revoked_at === null ? { text: 'active', paint: colors.green } : { text: 'revoked', paint: colors.yellow },
    relativeText(Date.parse(token.created_at), now),
    token.created_by ?? '',
    token.id,
  ]);
  return table(['name', 'role', 'account', 'token', 'state', 'created', 'created by', 'id'], rows);
}
