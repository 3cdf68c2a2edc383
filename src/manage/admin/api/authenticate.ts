import { accounts } from '../../../money/accounts/accounts.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { bearerToken } from '../../../serving/surfaces/caller.ts';
import type { AdminCaller, SignedInUser } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { requireOwnPage } from './own-page.ts';
import type { AdminParts } from '../parts.ts';
import { missing } from './sent-values.ts';
import { recordUse, tokenHolder } from './tokens.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/** Authenticates by token or by session. A token takes precedence, because clients send it explicitly. */
export async function callerOf(
  exchange: Exchange,
  parts: AdminParts,
  endpoint: Pick<Endpoint, 'method' | 'access'>,
): Promise<AdminCaller> {
  const header = exchange.header('authorization');
  if (header !== undefined) return tokenCaller(exchange, header, parts);
  const session = await parts.signedIn(exchange);
  if (!session) throw new GatewayError('invalid-api-key', { reason: reason('invalid_token') });
  // Also for actions that change no data: a page of another origin must not be able to start them.
  if (endpoint.method !== 'GET') requireOwnPage(exchange);
  if (endpoint.access === 'organisation') return organisationCaller(exchange, session);
  return endpoint.access === 'account' ? ownAccountCaller(exchange, parts, session) : operatorCaller(session);
}

async function tokenCaller(exchange: Exchange, header: string, parts: AdminParts): Promise<AdminCaller> {
  const secret = bearerToken(header);
  const holder = secret === undefined ? undefined : await tokenHolder(parts, secret);
  if (!holder) throw new GatewayError('invalid-api-key', { reason: reason('invalid_token') });
  await recordUse(parts, holder, exchange);
  const { id, role, accountId } = holder;
  return { id, actor: id, role, accountId, memberRole: 'owner' };
}

function operatorCaller({ user, operator }: SignedInUser): AdminCaller {
  if (operator === undefined) throw new GatewayError('forbidden');
  return { id: user.id, actor: user.email, role: operator, accountId: undefined, memberRole: 'owner' };
}

/** The account in `x-account`, or the user's first account. Operators may open any account as viewers. */
async function ownAccountCaller(exchange: Exchange, parts: AdminParts, session: SignedInUser): Promise<AdminCaller> {
  const { user, operator, memberships } = session;
  const requestedId = exchange.header('x-account');
  const own =
    requestedId === undefined ? memberships[0] : memberships.find(({ accountId }) => accountId === requestedId);
  const identity = { id: user.id, actor: user.email, role: 'account' } as const;
  if (own) return { ...identity, accountId: own.accountId, memberRole: own.role };
  if (operator === undefined || requestedId === undefined)
    throw requestedId === undefined ? noAccount() : missing('account');
  const other = await accounts(parts.store, parts.clock).find(requestedId);
  if (other?.id !== requestedId) throw missing('account');
  return { ...identity, accountId: other.id, memberRole: 'viewer' };
}

/** The organisation in `x-organisation`, or the user's first one. */
function organisationCaller(exchange: Exchange, { user, organisations }: SignedInUser): AdminCaller {
  const requestedId = exchange.header('x-organisation');
  const own =
    requestedId === undefined
      ? organisations[0]
      : organisations.find(({ organisationId }) => organisationId === requestedId);
  if (!own) {
    if (requestedId !== undefined) throw missing('organisation');
    throw new GatewayError('forbidden', { reason: reason('no_organisation') });
  }
  const { organisationId, role: memberRole } = own;
  return { id: user.id, actor: user.email, role: 'organisation', accountId: undefined, organisationId, memberRole };
}

function noAccount(): GatewayError {
  return new GatewayError('forbidden', { reason: reason('no_account') });
}
