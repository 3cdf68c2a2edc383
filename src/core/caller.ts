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
  /** What the key may spend in all, in nano-units; `undefined` means whatever its account has. */
  readonly spendCap: bigint | undefined;
  /** Whether its `stream: false` gets one JSON body, also where the site does not say so. */
  readonly honoursStreamFalse?: boolean;
}
