import type { Arbiter, HostId } from '../../../src/platform/cluster/arbiter.ts';
import { LeaseKeeper } from '../../../src/platform/cluster/lease-keeper.ts';
import {
  type BatchSeat,
  idleTerms,
  type IdleTerms,
  isIdleClass,
} from '../../../src/serving/routing/fair-queue/idle-terms.ts';
import { QueueLimit } from '../../../src/serving/routing/fair-queue/queue-limit.ts';
import { UpstreamQueue } from '../../../src/serving/routing/queue/upstream-queue.ts';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

/** The provider that all gateways share. It only counts its calls. */
export class Provider {
  inFlight = 0;
  most = 0;

  begin(): () => void {
    this.inFlight += 1;
    this.most = Math.max(this.most, this.inFlight);
    let isOver = false;
    return () => {
      if (!isOver) this.inFlight -= 1;
      isOver = true;
    };
  }
}

/** One answered request. */
export interface Served {
  readonly account: string;
  /** The gateway that received it. */
  readonly gateway: string;
  readonly atMs: number;
  readonly waitMs: number;
  /** When it got its slot. */
  readonly beganMs: number;
  readonly cost: number;
  readonly isIdle: boolean;
}

/** One request that has no slot yet. */
interface QueuedCall {
  readonly account: string;
  readonly sinceMs: number;
  readonly isIdle: boolean;
}

/** One simulated request. */
interface Sent {
  readonly weight: number;
  readonly cost: number;
  /** Whether it is of the idle class. */
  readonly isIdle: boolean;
  /** Its seat in a batch, which ends this long after the begin of the world. Without one it never turns ordinary. */
  readonly seat?: (BatchSeat & { readonly windowMs: number }) | undefined;
  readonly over: () => void;
}

export interface MemberParts {
  readonly world: World;
  readonly machine: Machine;
  readonly arbiter: Arbiter;
  readonly provider: Provider;
  readonly limit: number;
  readonly isDead: (host: HostId) => boolean;
  /** Called when a request gets its slot. */
  readonly dispatched: (isIdle: boolean) => void;
  readonly served: (served: Served) => void;
  readonly alarm: (error: unknown) => void;
}

/** The part of a gateway that deals with slots: its leases, the queue of one upstream, and calls that take time. */
export class SimulatedMember {
  readonly machine: Machine;
  readonly keeper: LeaseKeeper;
  readonly queue: UpstreamQueue;
  readonly #parts: MemberParts;
  readonly #calls = new Set<() => void>();
  readonly waiting = new Set<QueuedCall>();
  isDisconnected = false;

  constructor(parts: MemberParts, pid: number) {
    const { machine, arbiter, limit, alarm } = parts;
    this.#parts = parts;
    this.machine = machine;
    this.keeper = new LeaseKeeper({
      clock: machine.clock,
      arbiter,
      process: machine.name,
      host: { machine: 'one', pid },
      isDead: parts.isDead,
    });
    const queueLimit = new QueueLimit(() => ({ requests: 100_000, bytes: 1e12 }));
    const leased = this.keeper.slots('provider');
    this.queue = new UpstreamQueue({ clock: machine.clock, queueLimit, max: limit, leased, alarm });
  }

  /** The host of a dead process closes its connections. */
  die(): void {
    this.machine.die();
    for (const end of this.#calls) end();
  }

  /** Sends one request. Calls `over` when it was answered. */
  send(account: string, how: Sent): void {
    this.machine.deliver(() => {
      const idle = how.isIdle ? this.#idleTerms(account, how) : undefined;
      const demand = { accountId: account, keyId: account, weight: how.weight, cost: how.cost, bytes: 1, idle };
      const wait = { signal: new AbortController().signal, deadlineMs: this.machine.clock.elapsed() + 600_000 };
      const waiting = { account, sinceMs: this.#parts.world.nowMs, isIdle: how.isIdle };
      this.waiting.add(waiting);
      this.queue.enter(demand, wait).then(
        (slot) => {
          this.waiting.delete(waiting);
          if (slot) this.#call(account, { ...how, isIdle: isIdleClass(idle, this.machine.clock.elapsed()) }, slot);
        },
        (error: unknown) => this.#parts.alarm(error),
      );
    });
  }

  #idleTerms(batchId: string, { seat }: Sent): IdleTerms {
    if (!seat) return { batchId, deadlineMs: 1e9, ordinaryFromMs: 1e9 };
    const fromMs = this.machine.clock.elapsed() - this.#parts.world.nowMs;
    return idleTerms({ batchId, fromMs, untilMs: fromMs + seat.windowMs }, seat);
  }

  #call(account: string, how: Sent, slot: { readonly waitMs: number; release(cost: number): void }): void {
    const { world, provider, served } = this.#parts;
    const end = provider.begin();
    this.#parts.dispatched(how.isIdle);
    const beganMs = world.nowMs;
    this.#calls.add(end);
    world.after(how.cost, () => {
      end();
      this.#calls.delete(end);
      this.machine.deliver(() => {
        const gateway = this.machine.name;
        served({
          account,
          gateway,
          atMs: world.nowMs,
          waitMs: slot.waitMs,
          beganMs,
          cost: how.cost,
          isIdle: how.isIdle,
        });
        slot.release(how.cost);
        how.over();
      });
    });
  }
}
