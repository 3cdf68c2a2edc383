import type { AddressRanges } from './address-ranges.ts';
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
  /** Model ids, aliases or patterns that the key is limited to; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  /** The spend cap; `undefined` means the whole balance of the account. */
  readonly cap?: KeyCap | undefined;
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

export interface KeyCap {
  /** In nano-units. */
  readonly amount: bigint;
  /** When the cap renews; `undefined` means never. */
  readonly renewal?: Renewal | undefined;
  /** The first key of a chain of rotated keys: they share the cap. */
  readonly firstKeyId: string;
}

/** The limit of concurrent requests of a key, together with the keys that it replaced. */
export interface KeyConcurrency {
  readonly max: number;
  readonly firstKeyId: string;
}
