import type { AddressRanges } from './address-ranges.ts';
import type { LimitScope } from './limit.ts';
import type { Renewal } from './time/cap-period.ts';

/** The caller of a request: an API key with its account, and the site of the request. */
export interface Caller {
  readonly key: KeyHolder;
  readonly site: string;
}

/** A valid key: an immutable snapshot, replaced when the store changes. */
export interface KeyHolder {
  readonly keyId: string;
  readonly keyName: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly packageName: string;
  /** The organisation of the account. */
  readonly organisationId?: string | undefined;
  /** Model ids, aliases or patterns that the key is limited to; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  /** Further lists of models that narrow the key: of its organisation and of its member. */
  readonly narrowedTo?: readonly (readonly string[])[] | undefined;
  /** The member of the account for whom the key counts. */
  readonly member?: KeyMember | undefined;
  /** The limits on its spend, in the order in which requests reserve from them; `undefined` means none. */
  readonly limits?: readonly SpendLimit[] | undefined;
  /** The limit of concurrent requests; `undefined` means none. */
  readonly concurrency?: KeyConcurrency | undefined;
  /** The addresses that may use the key; `undefined` means all. */
  readonly addresses?: AddressRanges | undefined;
  /** Whether `stream: false` gets one JSON body, even if the site does not enable it. */
  readonly honoursStreamFalse?: boolean;
  /** Whether its answers contain their charge, even if the site does not enable it. */
  readonly reportsCost?: boolean;
  /** Whether the bodies of its requests are stored, if the configuration allows it. */
  readonly storesBodies?: boolean;
}

/** The most that the keys of one scope may spend together: in all, or until the limit renews. */
export interface SpendLimit {
  readonly scope: LimitScope;
  /** The keys that share it: those of a chain of rotated keys, a member, an account or an organisation. */
  readonly subjectId: string;
  /** In nano-units. */
  readonly amount: bigint;
  /** When the limit renews; `undefined` means never. */
  readonly renewal?: Renewal | undefined;
}

export interface KeyMember {
  readonly id: string;
  /** The limit of concurrent requests of all keys of the member in the account; `undefined` means none. */
  readonly maxConcurrency?: number | undefined;
}

/** The limit of concurrent requests of a key, together with the keys that it replaced. */
export interface KeyConcurrency {
  readonly max: number;
  readonly firstKeyId: string;
}
