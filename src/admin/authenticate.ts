import { accounts } from '../accounts/accounts.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { bearerToken } from '../surfaces/caller.ts';
import type { AdminCaller, SignedInUser } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { requireOwnPage } from './own-page.ts';
import type { AdminParts } from './parts.ts';
import { missing } from './sent-values.ts';
import { noteUse } from './token-use.ts';
import { tokenHolder } from './tokens.ts';
import { reason } from '../core/reasons/reason.ts';

/** A token comes before a session: whoever sends one means it. */
export async function callerOf(
  exchange: Exchange,
  parts: AdminParts,
  endpoint: Pick<Endpoint, 'method' | 'access'>,
): Promise<AdminCaller> {
  const header = exchange.header('authorization');
  if (header !== undefined) return tokenCaller(exchange, header, parts);
  const found = await parts.signedIn(exchange);
  if (!found) throw new GatewayError('invalid-api-key', { reason: reason('invalid_token') });
  // Also where nothing of ours is changed: the work is done, and a page elsewhere must not have it done.
  if (endpoint.method !== 'GET') requireOwnPage(exchange);
  return endpoint.access === 'account' ? ownAccountCaller(exchange, parts, found) : operatorCaller(found);
}

async function tokenCaller(exchange: Exchange, header: string, parts: AdminParts): Promise<AdminCaller> {
  const secret = bearerToken(header);
  const holder = secret === undefined ? undefined : await tokenHolder(parts, secret);
  if (!holder) throw new GatewayError('invalid-api-key', { reason: reason('invalid_token') });
  await noteUse(parts, holder, exchange);
  const { id, role, accountId } = holder;
  return { id, actor: id, role, accountId, standing: 'owner' };
}

function operatorCaller({ user, operator }: SignedInUser): AdminCaller {
  if (operator === undefined) throw new GatewayError('forbidden');
  return { id: user.id, actor: user.email, role: operator, accountId: undefined, standing: 'owner' };
}

/** The account the request names among the user's own, or the first of them. Operators look into any, and only look. */
async function ownAccountCaller(exchange: Exchange, parts: AdminParts, found: SignedInUser): Promise<AdminCaller> {
  const { user, operator, memberships } = found;
  const asked = exchange.header('x-account');
  const own = asked === undefined ? memberships[0] : memberships.find(({ accountId }) => accountId === asked);
  const who = { id: user.id, actor: user.email, role: 'account' } as const;
  if (own) return { ...who, accountId: own.accountId, standing: own.role };
  if (operator === undefined || asked === undefined) throw asked === undefined ? noAccount() : missing('account');
  const other = await accounts(parts.store, parts.clock).find(asked);
  if (other?.id !== asked) throw missing('account');
  return { ...who, accountId: other.id, standing: 'viewer' };
}

function noAccount(): GatewayError {
  return new GatewayError('forbidden', { reason: reason('no_account') });
}
