import { useAccount } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { useSession } from '../../api/session.ts';
import type { Key } from '../../api/wire.ts';

/** The keys of the user's own account, or of an account that an operator views. */
export interface KeyScope {
  /** The API path of keys. */
  readonly path: '/account/v1/keys' | '/admin/v1/keys';
  /** The API path of the models that a key can be limited to. */
  readonly modelsPath: '/account/v1/models' | '/admin/v1/models';
  /** The API path of the members for whom a key can count. Undefined: the user may not choose one. */
  readonly membersPath: string | undefined;
  /** The user may change only keys that count for this user. Undefined: all keys. */
  readonly onlyOf: string | undefined;
  /** Operators name the account in the request body. */
  readonly accountId: string | undefined;
  /** The time zone in which caps reset. */
  readonly timeZone: string | undefined;
}

export function isChangeable({ onlyOf }: KeyScope, { member_id: member }: Key): boolean {
  return onlyOf === undefined || member === onlyOf;
}

/** Owners of the account change all keys, and choose the member for whom a key counts. */
export function useOwnScope(): KeyScope {
  const { role, mayWrite } = useAccount();
  const { user } = useSession();
  const onlyOf = role === 'owner' ? undefined : user.id;
  const timeZone = useOwnAccount()?.time_zone;
  const membersPath = role === 'owner' && mayWrite ? '/account/v1/members' : undefined;
  const paths = { path: '/account/v1/keys', modelsPath: '/account/v1/models', membersPath } as const;
  return { ...paths, onlyOf, accountId: undefined, timeZone };
}

export function operatorScope(account: { readonly id: string; readonly time_zone: string }): KeyScope {
  const { id: accountId, time_zone: timeZone } = account;
  const membersPath = `/admin/v1/accounts/${encodeURIComponent(accountId)}/members`;
  const paths = { path: '/admin/v1/keys', modelsPath: '/admin/v1/models', membersPath } as const;
  return { ...paths, onlyOf: undefined, accountId, timeZone };
}
