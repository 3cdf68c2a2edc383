import type { AccountId } from '../accounts/ids.ts';
import type { MemberRole, Membership } from '../accounts/members.ts';
import type { OperatorRole } from '../accounts/operators.ts';
import type { Role } from './roles.ts';

/** Who asks: a token, or someone who is signed in to the dashboard. */
export interface AdminCaller {
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
