import type { CatalogParts } from '../../src/money/catalog/catalog.ts';
import type { UpstreamSpec } from '../../src/platform/config/schema/upstream.ts';
import type { Nano } from '../../src/core/money.ts';
import type { AnswerTimeouts } from '../../src/serving/upstreams/answer/answer-deadlines.ts';
import type { BatchQuota } from '../../src/work/batches/batches.ts';
import type { Client } from './client.ts';
import type { Plan } from './plan.ts';
import type { KeyHistory, LimitsByAccount } from './key-book.ts';
import type { Conduct } from './provider.ts';
import type { SeenCall } from './seen-call.ts';
import type { StoreMood } from './shared-store.ts';
import type { World } from './world.ts';

/** Everything that happens in one world, drawn from its seed. */
export interface Scenario {
  readonly gateways: number;
  /** True if all run on one machine, with the store on its disk. If undefined, worlds of even seeds do. */
  readonly isOneMachine?: boolean;
  /** True if the gateways share the slots of the upstreams by leases. Otherwise each gateway has all slots. */
  readonly sharesSlots?: boolean;
  /** True if one gateway generates the reply for an `Idempotency-Key`. Otherwise each generates its own. */
  readonly sharesReplies?: boolean;
  readonly upstreams: readonly UpstreamSpec[];
  readonly credentials: number;
  /** The timeouts of fast-path answers; none if undefined. */
  readonly timeouts?: AnswerTimeouts;
  readonly catalog: CatalogParts;
  readonly accounts: readonly SimulatedAccount[];
  /** The limits of keys by account. A key without an entry has no limits. */
  readonly keys?: KeyHistory;
  /** Limits of members, accounts and organisations. */
  readonly limits?: LimitsByAccount;
  readonly waitMaxMs: number;
  /** When clients receive the status and keep-alive comments. */
  readonly timing?: ReplyTiming;
  /** The duration of one sync to disk. */
  readonly diskMs?: () => number;
  readonly plans: readonly (Plan & { readonly gateway: number })[];
  /** Batches that accounts create. Without an entry, the gateways run none. */
  readonly batches?: ScenarioBatches;
  readonly disasters: readonly Disaster[];
  readonly mood: StoreMood;
  readonly conduct: (call: SeenCall) => Conduct;
  /** The price of a token by model, if it is not one nano-unit. */
  readonly perToken?: Readonly<Record<string, number>>;
  readonly durationMs: number;
  /** Checks the rules of this family, in addition to those of all worlds. Returns the violations. */
  readonly check: (life: Life) => readonly string[];
}

export interface ScenarioBatches {
  readonly linesAtOnce: number;
  readonly plans: readonly BatchPlan[];
  /** How long ended batches and their output files are kept. Default: longer than any world. */
  readonly keepMs?: number;
  /** Default: none. A client that is refused tries again every second. */
  readonly quota?: BatchQuota & { readonly accountFilesMax: number };
}

interface SimulatedAccount {
  readonly id: string;
  readonly credit: Nano;
  readonly isPostpaid?: boolean;
  readonly organisationId?: string;
  /** The member whose limits its key counts for. */
  readonly memberId?: string;
}

export type Disaster =
  | { readonly atMs: number; readonly kind: 'kill' | 'restart'; readonly gateway: number }
  | { readonly atMs: number; readonly kind: 'freeze'; readonly gateway: number; readonly forMs: number }
  | { readonly atMs: number; readonly kind: 'store'; readonly mood: StoreMood }
  /** The wall clock of a gateway jumps ahead. */
  | { readonly atMs: number; readonly kind: 'clock'; readonly gateway: number; readonly byMs: number }
  /** A gateway does the clean-up now, before its time. */
  | { readonly atMs: number; readonly kind: 'clean'; readonly gateway: number }
  /** Time in which no process runs, for example after all have died. */
  | { readonly atMs: number; readonly kind: 'off'; readonly forMs: number }
  /** The arbiter of the slots loses all messages, or is back. */
  | { readonly atMs: number; readonly kind: 'arbiter'; readonly isDown: boolean }
  /** The key of an account is revoked, and its running requests must end. */
  | { readonly atMs: number; readonly kind: 'revoke'; readonly accountId: string };

/** The latest time of a client's status, and the interval of keep-alive comments. */
export interface ReplyTiming {
  readonly holdHeadersMs: number;
  readonly keepAliveEveryMs: number;
}

/** The calls that providers received, and the replies that clients received, in one world. */
export interface Life {
  readonly calls: readonly SeenCall[];
  readonly clients: readonly Client[];
  /** The calls for lines of batches: when each began, and its account. */
  readonly lines: readonly { readonly atMs: number; readonly accountId: string }[];
}

/** A family of worlds: draws the scenario of one world. */
export type Family = (world: World) => Scenario;

/** One batch, as its client plans it. */
export interface BatchPlan {
  readonly id: string;
  readonly atMs: number;
  readonly gateway: number;
  readonly accountId: string;
  readonly lines: readonly { readonly promptTokens: number; readonly maxTokens: number }[];
  /** The client cancels it this long after its creation. */
  readonly cancelAfterMs?: number | undefined;
  /** The time in which it has to run, if it is not that of all batches. */
  readonly windowMs?: number | undefined;
  /** Its input file expires this long after the upload began. */
  readonly inputMs?: number | undefined;
  /** How long the client takes to upload the lines. */
  readonly uploadMs?: number | undefined;
}
