import type { AccountDemand, SlotLease } from '../../src/platform/cluster/arbiter.ts';
import type { LeasedSlots, LeaseUser } from '../../src/platform/cluster/leased-slots.ts';

/** Requests of accounts at the slots of one upstream in one process. Requests without a slot wait in order. */
export class TestUser implements LeaseUser {
  limit: number;
  readonly slots: LeasedSlots;
  readonly running: string[] = [];
  readonly line: string[] = [];
  elsewhere: Pick<SlotLease, 'elsewhere' | 'accounts'> | undefined;

  constructor(slots: LeasedSlots, limit: number) {
    this.slots = slots;
    this.limit = limit;
    slots.use(this);
  }

  get waiting(): number {
    return this.line.length;
  }

  enqueue(account: string, times = 1): void {
    for (let count = 0; count < times; count += 1) this.line.push(account);
    this.recheck();
  }

  end(times = 1): void {
    for (let count = 0; count < times; count += 1) {
      if (this.running.shift() !== undefined) this.slots.give();
    }
    this.recheck();
  }

  demands(): readonly AccountDemand[] {
    const count = (list: readonly string[], id: string): number => list.filter((each) => each === id).length;
    return [...new Set([...this.running, ...this.line])].map((id) => ({
      id,
      weight: 1,
      running: count(this.running, id),
      waiting: count(this.line, id),
      used: 0,
    }));
  }

  recheck(): void {
    while (this.line.length > 0 && this.slots.take()) this.running.push(this.line.shift()!);
  }

  onDemandElsewhere(elsewhere: Pick<SlotLease, 'elsewhere' | 'accounts'>): void {
    this.elsewhere = elsewhere;
  }
}
