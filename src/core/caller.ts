import type { AddressRanges } from './address-ranges.ts';
import type { Renewal } from './cap-period.ts';

/** Who is asking: an API key, the account that owns it, and the site the request came in on. */
export interface Caller {
  readonly key: KeyHolder;
  readonly site: string;
}

/** A valid key as the hot path knows it: an immutable snapshot, replaced when the store changes. */
export interface KeyHolder {
  readonly keyId: string;
  readonly keyName: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly packageName: string;
  /** Model ids, aliases or patterns the key is limited to; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  /** What the key may spend; `undefined` means whatever its account has. */
  readonly cap?: KeyCap | undefined;
  /** How many of its requests are worked on at once; `undefined` means as many as come. */
  readonly concurrency?: KeyConcurrency | undefined;
  /** Where it may be used from; `undefined` means anywhere. */
  readonly addresses?: AddressRanges | undefined;
  /** Whether its `stream: false` gets one JSON body, also where the site does not say so. */
  readonly honoursStreamFalse?: boolean;
  /** Whether the bodies of its requests are stored, where that is allowed at all. */
  readonly storesBodies?: boolean;
}

/** What a key may spend, as its owner said. */
export interface KeyCap {
  /** In nano-units. */
  readonly amount: bigint;
  /** When it is new again; never if not said. */
  readonly renewal?: Renewal | undefined;
  /** The first of the keys that replaced each other: they spend from the same. */
  readonly firstKeyId: string;
}

/** How many requests of a key, and of those it replaced, are worked on at once. */
export interface KeyConcurrency {
  readonly max: number;
  readonly firstKeyId: string;
}
