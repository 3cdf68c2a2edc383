import type { RequestRecord } from '../../src/requests/request-record.ts';
import type { Store } from '../../src/store/store.ts';
import type { CrashOutcome } from './client.ts';
import type { Journal } from './journal.ts';
import type { GatewayProcess } from './processes.ts';

/** Everything that is known when the load has come to rest. */
export interface Evidence {
  readonly seed: number;
  /** The gateways that should be serving. */
  readonly gateways: readonly GatewayProcess[];
  /** A key they should all accept. */
  readonly key: string;
  readonly store: Store;
  /** What the provider did. */
  readonly journal: Journal;
  /** What the clients saw. */
  readonly outcomes: readonly CrashOutcome[];
  /** What the store has, by the tag of the request. */
  readonly rows: ReadonlyMap<string, readonly RequestRecord[]>;
  /** Rows that somebody read while the gateways were being killed. */
  readonly sampled: readonly RequestRecord[];
  /** Accounts that somebody saw below their floor meanwhile. */
  readonly overspent: readonly string[];
}

/** Says where it does not hold. */
export type Invariant = (evidence: Evidence) => Iterable<string> | Promise<Iterable<string>>;
