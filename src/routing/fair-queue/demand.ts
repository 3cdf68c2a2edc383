/** A request as the queue of an upstream sees it: who asks, and how much of the upstream it will need. */
export interface Demand {
  readonly accountId: string;
  readonly keyId: string;
  /** The account's package, by which those who wait are counted. */
  readonly packageName?: string;
  /** The share of the account's package, 1 to 100. */
  readonly weight: number;
  /** How much it will probably cost, in tokens. */
  readonly cost: number;
  /** The most it can cost, whatever its provider says; not said where there is no bound. */
  readonly costMax?: number;
  /** The memory it holds while it waits. */
  readonly bytes: number;
}
