import type { KeyObject } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.ts';
import type { Resources } from '../catalog/resources.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { SignedInUser } from './caller.ts';
import type { Exchange } from '../http/exchange.ts';
import type { FleetHealth } from './health-port.ts';
import type { Ledger } from './ledger-port.ts';
import type { LiveState } from './live-port.ts';
import type { SystemState } from './system-port.ts';
import type { PresetInfo, UpstreamTest } from './upstream-port.ts';
import type { UsageFilter, UsageLine } from './usage-summary.ts';

/** What the APIs need of the rest of the gateway. */
export interface AdminParts {
  /** Inside a write this is the store as its transaction sees it: everything must go through it. */
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: KeyObject;
  readonly ledger: (store: Store) => Ledger;
  readonly resources: (store: Store) => Resources;
  readonly usage: (store: Store, filter: UsageFilter) => Promise<readonly UsageLine[]>;
  /** The catalog as requests see it now. */
  current(): { readonly catalog: Catalog; readonly version: string };
  currency(): string;
  /** The path in front of the messages surface. */
  messagesPrefix(): string;
  /** How the upstreams are doing. */
  upstreams(): FleetHealth;
  /** Who is signed in to the dashboard, for requests that bring no token. */
  readonly signedIn: (exchange: Exchange) => Promise<SignedInUser | undefined>;
  live(): LiveState;
  system(): SystemState;
  /** The providers that are known by name. */
  readonly presets: readonly PresetInfo[];
  /** Asks the provider behind an upstream whether it works; nothing if there is no such upstream, or it cannot be used. */
  test(upstream: string): Promise<UpstreamTest | undefined>;
}
