import { accounts } from '../accounts/accounts.ts';
import type { AccountId } from '../accounts/ids.ts';
import type { MemberRole, Membership } from '../accounts/members.ts';
import type { OperatorRole } from '../accounts/operators.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { isSameOrigin } from '../http/origin.ts';
import { bearerToken } from '../surfaces/caller.ts';
import type { Endpoint } from './endpoint.ts';
import type { AdminParts } from './parts.ts';
import type { Role } from './roles.ts';
import { missing } from './sent-values.ts';
import { tokenHolder } from './tokens.ts';

/** Who asks: a token, or someone who is signed in to the dashboard. */
export interface Caller {
  /** The id of the token or the user. */
  readonly id: string;
  /** How the audit log calls them: a token by its id, a user by their e-mail address. */
  readonly actor: string;
  readonly role: Role;
  /** Set for the role `account` and no other. */
  readonly accountId: AccountId | undefined;
  /** What the caller may do within that account. A viewer only looks. */
  readonly standing: MemberRole;
}

/** What these APIs have to know of someone who is signed in. */
export interface SignedInUser {
  readonly user: { readonly id: string; readonly email: string };
  readonly operator: OperatorRole | undefined;
  readonly memberships: readonly Membership[];
}

/** A token comes before a session: whoever sends one means it. */
export async function callerOf(exchange: Exchange, parts: AdminParts, endpoint: Endpoint): Promise<Caller> {
  const header = exchange.header('authorization');
  if (header !== undefined) return tokenCaller(header, parts);
  const found = await parts.signedIn(exchange);
  if (!found) throw new GatewayError('invalid-api-key', { detail: tokenHint });
  if (endpoint.isWrite) requireOwnPage(exchange);
  return endpoint.access === 'account' ? ownAccountCaller(exchange, parts, found) : operatorCaller(found);
}

/** Refuses what a page elsewhere had the browser send. */
export function requireOwnPage(exchange: Exchange): void {
  if (!isSameOrigin(exchange)) throw new GatewayError('forbidden', { detail: otherPage });
}

const tokenHint =
  'The token is missing, malformed, revoked or unknown. Send it as `Authorization: Bearer gwa_…`; API keys are not accepted here.';
const otherPage =
  'The Origin header is missing or names another site. Changes with a session are taken from the dashboard’s own pages only.';

async function tokenCaller(header: string, parts: AdminParts): Promise<Caller> {
  const secret = bearerToken(header);
  const holder = secret === undefined ? undefined : await tokenHolder(parts, secret);
  if (!holder) throw new GatewayError('invalid-api-key', { detail: tokenHint });
  const { id, role, accountId } = holder;
  return { id, actor: id, role, accountId, standing: 'owner' };
}

function operatorCaller({ user, operator }: SignedInUser): Caller {
  if (operator === undefined) throw new GatewayError('forbidden');
  return { id: user.id, actor: user.email, role: operator, accountId: undefined, standing: 'owner' };
}

/** The account the request names among the user's own, or the first of them. Operators look into any, and only look. */
async function ownAccountCaller(exchange: Exchange, parts: AdminParts, found: SignedInUser): Promise<Caller> {
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
  const detail = 'You belong to no account. Ask for an invitation, or name an account in `x-account` as an operator.';
  return new GatewayError('forbidden', { detail });
}
