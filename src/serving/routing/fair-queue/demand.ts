import type { IdleTerms } from './idle-terms.ts';

/** A request as the queue of an upstream sees it: its account, and how much of the upstream it will need. */
export interface Demand {
  readonly accountId: string;
  /** Its key, or its batch if it is of the idle class: these take turns within the account. */
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
  /** Set for a request of the idle class. */
  readonly idle?: IdleTerms | undefined;
}
