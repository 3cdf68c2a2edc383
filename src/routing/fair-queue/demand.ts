/** A request as the queue of an upstream sees it: its account, and how much of the upstream it will need. */
export interface Demand {
  readonly accountId: string;
  readonly keyId: string;
  /** The account's package; waiting requests are counted by it. */
  readonly packageName?: string;
  /** The weight of the account's package, 1 to 100. */
  readonly weight: number;
  /** The estimated cost, in tokens. */
  readonly cost: number;
  /** The highest possible cost, whatever the provider reports; absent if there is no maximum. */
  readonly costMax?: number;
  /** The memory that the request holds while it waits. */
  readonly bytes: number;
}
