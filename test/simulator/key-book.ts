import type { KeyHolder, SpendLimit } from '../../src/core/caller.ts';
import type { Renewal } from '../../src/core/time/cap-period.ts';
import type { KeySlotTerms } from '../../src/serving/routing/slots/key-slots.ts';
import type { ChangeBus } from './change-bus.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

/** The limits of an account's key, from `fromMs` on. */
export interface KeyTerms {
  readonly fromMs: number;
  readonly cap?: { readonly amount: bigint; readonly renewal?: Renewal | undefined } | undefined;
  readonly max?: number | undefined;
  readonly expiresMs?: number | undefined;
}

/** The terms of each account's key, oldest first. */
export type KeyHistory = Readonly<Record<string, readonly KeyTerms[]>>;

/** The limits on the spend of each account's key, besides its own cap: of its member, account and organisation. */
export type LimitsByAccount = Readonly<Record<string, readonly SpendLimit[]>>;

/** The keys of a world. Each account has one key, whose limits may change while it is in use. */
export class KeyBook {
  readonly #world: World;
  readonly #bus: ChangeBus;
  readonly #history: KeyHistory;
  readonly #limits: LimitsByAccount;

  constructor(world: World, bus: ChangeBus, history: KeyHistory = {}, limits: LimitsByAccount = {}) {
    this.#world = world;
    this.#bus = bus;
    this.#history = history;
    this.#limits = limits;
  }

  /** Schedules the broadcast of every change. */
  begin(): void {
    for (const [accountId, [, ...changes]] of Object.entries(this.#history)) {
      for (const { fromMs } of changes) this.#world.after(fromMs, () => this.#bus.broadcast('key', keyOf(accountId)));
    }
  }

  /** The key cache of one gateway. After a change arrives, the gateway reads keys from the store again. */
  cache(machine: Machine): (accountId: string) => KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const known = new Map<string, KeyTerms>();
    let changes = 0;
    const usable = (accountId: string, terms: KeyTerms): KeyHolder | undefined =>
      terms.expiresMs !== undefined && terms.expiresMs <= this.#world.nowMs
        ? undefined
        : holderOf(accountId, terms, this.#limits[accountId]);
    this.#bus.feed(machine).subscribe(() => {
      changes += 1;
      known.clear();
    });
    return (accountId) => {
      const terms = this.#history[accountId] ? known.get(accountId) : noLimits;
      if (terms) return usable(accountId, terms);
      const before = changes;
      const read = this.now(accountId);
      return machine.wait(readMs).then(() => {
        if (before === changes) known.set(accountId, read);
        return usable(accountId, read);
      });
    };
  }

  slotTerms(machine: Machine): (keyId: string) => Promise<KeySlotTerms | undefined> {
    return async (keyId) => {
      await machine.wait(readMs);
      return { firstKeyId: keyId, max: this.now(accountOf(keyId)).max };
    };
  }

  /** The current terms in the store. */
  now(accountId: string): KeyTerms {
    return this.since(accountId, this.#world.nowMs).at(-1) ?? noLimits;
  }

  /** All terms that were in force at some time since `sinceMs`, oldest first. */
  since(accountId: string, sinceMs: number): readonly KeyTerms[] {
    const made = (this.#history[accountId] ?? []).filter(({ fromMs }) => fromMs <= this.#world.nowMs);
    return made.filter((_, index) => (made[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY) > sinceMs);
  }
}

const readMs = 2;
const noLimits: KeyTerms = { fromMs: 0 };
const prefix = 'key of ';

export function keyOf(accountId: string): string {
  return prefix + accountId;
}

export function accountOf(keyId: string): string {
  return keyId.slice(prefix.length);
}

function holderOf(accountId: string, { cap, max }: KeyTerms, others: readonly SpendLimit[] = []): KeyHolder {
  const keyId = keyOf(accountId);
  const limits = [...(cap ? [{ ...cap, scope: 'key' as const, subjectId: keyId }] : []), ...others];
  return {
    keyId,
    keyName: 'key',
    accountId,
    accountName: accountId,
    packageName: 'standard',
    models: undefined,
    limits: limits.length === 0 ? undefined : limits,
    concurrency: max === undefined ? undefined : { max, firstKeyId: keyId },
  };
}
