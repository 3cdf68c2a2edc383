/** Where a provider stores a thing that it created for an account, such as a sandbox or a file in it. */
export interface ThingPlace {
  readonly upstream: string;
  /** The index of the credential: other credentials may belong to another account at the provider. */
  readonly credential: number;
}

/** What providers store, and for which account. */
export interface PlacedThings {
  /** The places of those things whose ids the account has received. */
  find(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, ThingPlace>>;
  remember(accountId: string, ids: readonly string[], place: ThingPlace): Promise<void>;
}
