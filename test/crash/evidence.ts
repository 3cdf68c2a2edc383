import type { RequestRecord } from '../../src/money/requests/request-record.ts';
import type { Store } from '../../src/platform/store/store.ts';
import type { CrashOutcome } from './client.ts';
import type { Journal } from './journal.ts';
import type { GatewayProcess } from './processes.ts';

/** All observations, collected after the load has ended. */
export interface Evidence {
  readonly seed: number;
  /** The gateways that should serve requests. */
  readonly gateways: readonly GatewayProcess[];
  /** A key they should all accept. */
  readonly key: string;
  readonly store: Store;
  /** The calls at the provider. */
  readonly journal: Journal;
  /** The outcomes that the clients saw. */
  readonly outcomes: readonly CrashOutcome[];
  /** The rows of the store, by the tag of the request. */
  readonly rows: ReadonlyMap<string, readonly RequestRecord[]>;
  /** Rows that were read while gateways were killed. */
  readonly sampled: readonly RequestRecord[];
  /** Accounts that were below their floor during that time. */
  readonly overspent: readonly string[];
}

/** Returns a description of each violation. */
export type Invariant = (evidence: Evidence) => Iterable<string> | Promise<Iterable<string>>;
