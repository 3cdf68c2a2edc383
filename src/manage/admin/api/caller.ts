import type { AccountId, OrganisationId } from '../../../money/accounts/ids.ts';
import { membersOfKeys } from '../../../money/accounts/key-members.ts';
import type { MemberRole, AccountMembership } from '../../../money/accounts/members.ts';
import type { OrganisationMembership } from '../../../money/accounts/organisation-members.ts';
import { type OperatorRole, operatorRoles } from '../../../money/accounts/operators.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason, type Unparameterised } from 'chat-formats/reasons/reason.ts';
import type { Store } from '../../../platform/store/store.ts';

/** Each operator role includes the ones before it. A caller of the other roles reaches one account or organisation only. */
export type Role = TokenRole | 'organisation';

/** Only users belong to organisations. */
export type TokenRole = OperatorRole | 'account';

export function mayUse(role: Role, access: Role): boolean {
  if (isOfOne(role) || isOfOne(access)) return role === access;
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(access);
}

function isOfOne(role: Role): role is 'account' | 'organisation' {
  return role === 'account' || role === 'organisation';
}

/** The authenticated caller: a token, a user who is signed in to the dashboard, or the command line. */
export interface AdminCaller {
  /** The id of the token or the user, or `cli`. */
  readonly id: string;
  /** Name in the audit log: the id of a token, the e-mail address of a user, or `cli`. */
  readonly actor: string;
  /** Name in the ledger and on batches of codes, if it is more precise than `actor`. */
  readonly bookedBy?: string;
  readonly role: Role;
  /** Set for the role `account` only. */
  readonly accountId: AccountId | undefined;
  /** Set for the role `organisation` only. */
  readonly organisationId?: OrganisationId | undefined;
  /** The caller's role within that account or organisation. A viewer may only read. */
  readonly memberRole: MemberRole;
}

/** The only account that the caller can reach. It comes from authentication, never from the path or the body. */
export function ownAccount({ accountId }: AdminCaller): AccountId {
  if (accountId === undefined) throw new GatewayError('forbidden');
  return accountId;
}

export interface SignedInUser {
  readonly user: { readonly id: string; readonly email: string };
  readonly operator: OperatorRole | undefined;
  readonly memberships: readonly AccountMembership[];
  readonly organisations: readonly OrganisationMembership[];
}

/** The caller's account. Throws unless the caller is an owner of it. */
export function managedAccount(caller: AdminCaller, why: Unparameterised): AccountId {
  if (caller.memberRole !== 'owner') throw new GatewayError('forbidden', { reason: reason(why) });
  return ownAccount(caller);
}

/** Owners act on all keys of their account, members on those that count for them. Operators open accounts as viewers. */
export async function mayActOnKey(store: Store, keyId: string, caller: AdminCaller): Promise<boolean> {
  const { role, memberRole, id } = caller;
  if (role !== 'account' || memberRole === 'viewer') return false;
  return memberRole === 'owner' || (await membersOfKeys(store, [keyId])).get(keyId) === id;
}

export async function requireKeyRight(store: Store, keyId: string, caller: AdminCaller): Promise<void> {
  if (await mayActOnKey(store, keyId, caller)) return;
  throw new GatewayError('forbidden', { reason: reason('key_needs_owner') });
}

/** The only organisation that the caller can reach. */
export function ownOrganisation({ organisationId }: AdminCaller): OrganisationId {
  if (organisationId === undefined) throw new GatewayError('forbidden');
  return organisationId;
}

/** The caller's organisation. Throws unless the caller is an owner of it. */
export function managedOrganisation(caller: AdminCaller): OrganisationId {
  if (caller.memberRole !== 'owner') {
    throw new GatewayError('forbidden', { reason: reason('organisation_needs_owner') });
  }
  return ownOrganisation(caller);
}
