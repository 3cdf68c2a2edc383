import type { CatalogParts } from '../../src/catalog/catalog.ts';
import type { UpstreamSpec } from '../../src/config/upstream.ts';
import type { Nano } from '../../src/core/money.ts';
import type { AnswerTimeouts } from '../../src/upstreams/watchdog.ts';
import type { Client } from './client.ts';
import type { Plan } from './plan.ts';
import type { KeyHistory } from './key-book.ts';
import type { Conduct } from './provider.ts';
import type { SeenCall } from './seen-call.ts';
import type { StoreMood } from './shared-store.ts';
import type { World } from './world.ts';

/** What happens in one world, all of it drawn from its seed. */
export interface Scenario {
  readonly gateways: number;
  /** Whether they share a machine, and a disk with the store on it; each has its own if not said. */
  readonly isOneMachine?: boolean;
  /** Whether the gateways share the slots of the upstreams by leases; each has all of them for itself if not said. */
  readonly sharesSlots?: boolean;
  /** Whether one of them makes a reply that a client has named, for all; each makes its own if not said. */
  readonly sharesReplies?: boolean;
  readonly upstreams: readonly UpstreamSpec[];
  readonly credentials: number;
  /** How long answers of the fast path may take; for ever if not said. */
  readonly timeouts?: AnswerTimeouts;
  readonly catalog: CatalogParts;
  readonly accounts: readonly { readonly id: string; readonly credit: Nano }[];
  /** What the keys of accounts may do; a key of which nothing is said has no limits. */
  readonly keys?: KeyHistory;
  readonly waitMaxMs: number;
  /** When clients are shown that their request is not forgotten. */
  readonly deadline?: Deadline;
  /** How long the disks of its machines take to have something for good. */
  readonly diskMs?: () => number;
  readonly plans: readonly (Plan & { readonly gateway: number })[];
  readonly disasters: readonly Disaster[];
  readonly mood: StoreMood;
  readonly conduct: (call: SeenCall) => Conduct;
  /** What a token of a model costs, where it is not one nano-unit. */
  readonly perToken?: Readonly<Record<string, number>>;
  readonly durationMs: number;
  /** What this kind of world promises beyond what every world does. */
  readonly promises: (life: Life) => readonly string[];
}

export type Disaster =
  | { readonly atMs: number; readonly kind: 'kill' | 'restart'; readonly gateway: number }
  | { readonly atMs: number; readonly kind: 'freeze'; readonly gateway: number; readonly forMs: number }
  | { readonly atMs: number; readonly kind: 'store'; readonly mood: StoreMood }
  /** The key of an account is withdrawn, and what runs with it is to end. */
  | { readonly atMs: number; readonly kind: 'cut'; readonly accountId: string };

/** When a client gets its status at the latest, and how often it is shown that the gateway is there. */
export interface Deadline {
  readonly holdHeadersMs: number;
  readonly keepAliveEveryMs: number;
}

/** What came of it. */
export interface Life {
  readonly calls: readonly SeenCall[];
  readonly clients: readonly Client[];
}

/** A family of worlds. */
export type Family = (world: World) => Scenario;
