import { recentlyUsed } from '../core/recently-used.ts';
import { assert } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import { delay } from '../core/delay.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { decimalText, type Nano } from '../core/money.ts';
import { type Patience, storeAway } from '../core/patience.ts';
import type { Store } from '../store/store.ts';
import type { SettlementQueue } from './settlement-queue.ts';
import { spentByKeys } from './spend.ts';

/** Keeps keys within what they may spend in all. */
export interface SpendCaps {
  /**
   * Counts the amount as spent until its request is over. Answers at once for a key that was used a moment ago, and waits
   * for a store that is out of reach. Refuses with `key-cap-reached` when the cap does not allow it, or as its
   * patience ends.
   */
  reserve(wanted: CappedAmount, patience: Patience): Reservation | Promise<Reservation>;
  /** Learns what other processes spend on the keys that are in use. */
  refresh(): Promise<void>;
}

/** What a request may cost at most, and what its key may spend in all. */
export interface CappedAmount {
  readonly keyId: string;
  readonly cap: Nano;
  readonly amount: Nano;
}

/** What a running request may spend of its key's cap. */
export interface Reservation {
  /** The request is over and cost so much, which is on its way to the store. */
  readonly posted: (cost: Nano) => void;
  /** The store has it. */
  readonly booked: (cost: Nano) => void;
}

export interface SpendCapsParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly queue: Pick<SettlementQueue, 'inTurn'>;
}

/** What is known of a key that nobody asked for so long is read again before it counts. */
const warmMs = 60_000;
const keysPerTurn = 200;
/** A store that is away is asked again after so long. */
const awayPauseMs = 500;
/** Keys with running requests are not among these. */
const idleKeysMax = 10_000;

interface KeySpend {
  readonly keyId: string;
  /** In the store, as far as is known here. */
  spent: Nano;
  /** Counted for running requests. */
  held: Nano;
  /** Of requests that are over and not yet in the store. */
  owed: Nano;
  usedMs: number;
}

export function spendCaps(parts: SpendCapsParts): SpendCaps {
  const { store, clock, queue } = parts;
  const busy = new Map<string, KeySpend>();
  const idle = recentlyUsed<string, KeySpend>(idleKeysMax);
  const reading = new Map<string, Promise<KeySpend>>();

  function warm(keyId: string): KeySpend | undefined {
    const key = busy.get(keyId) ?? idle.get(keyId);
    return key && (busy.has(keyId) || clock.elapsed() - key.usedMs < warmMs) ? key : undefined;
  }

  function read(keyId: string): Promise<KeySpend> {
    const known = reading.get(keyId) ?? readOnce(keyId).finally(() => reading.delete(keyId));
    reading.set(keyId, known);
    return known;
  }

  async function readOnce(keyId: string): Promise<KeySpend> {
    const spent = (await spentByKeys(store, [keyId])).get(keyId) ?? 0n;
    return { keyId, spent, held: 0n, owed: 0n, usedMs: clock.elapsed() };
  }

  async function readPatiently(keyId: string, { deadlineMs, signal }: Patience): Promise<KeySpend> {
    for (;;) {
      try {
        return await read(keyId);
      } catch (cause) {
        if (clock.elapsed() + awayPauseMs >= deadlineMs) throw storeAway(cause);
        await delay(clock, awayPauseMs, signal);
      }
    }
  }

  function reserved(key: KeySpend, cap: Nano, amount: Nano): Reservation {
    key.usedMs = clock.elapsed();
    if (!busy.has(key.keyId)) idle.set(key.keyId, key);
    if (key.spent + key.owed + key.held + amount > cap) throw reached(cap);
    idle.delete(key.keyId);
    busy.set(key.keyId, key);
    key.held += amount;
    return {
      posted(cost) {
        assert(key.held >= amount, 'no more of a cap is given back than was counted');
        key.held -= amount;
        key.owed += cost;
        rest(key);
      },
      booked(cost) {
        key.owed -= cost;
        key.spent += cost;
        rest(key);
      },
    };
  }

  function rest(key: KeySpend): void {
    if (key.held > 0n || key.owed > 0n || !busy.delete(key.keyId)) return;
    idle.set(key.keyId, key);
  }

  /** No charge is on its way while this is read, so none is counted twice or not at all. */
  async function readAgain(keys: readonly KeySpend[]): Promise<void> {
    const ids = keys.map(({ keyId }) => keyId);
    const totals = await spentByKeys(store, ids);
    for (const key of keys) key.spent = totals.get(key.keyId) ?? 0n;
  }

  return {
    reserve({ keyId, cap, amount }, patience) {
      const key = warm(keyId);
      if (key) return reserved(key, cap, amount);
      // Whoever came meanwhile may have begun to spend: what is known by then counts.
      return readPatiently(keyId, patience).then((fresh) => reserved(warm(keyId) ?? fresh, cap, amount));
    },
    async refresh() {
      const since = clock.elapsed() - warmMs;
      const inUse = [...busy.values(), ...idle.values()].filter(({ usedMs, held }) => held > 0n || usedMs > since);
      for (let start = 0; start < inUse.length; start += keysPerTurn) {
        const some = inUse.slice(start, start + keysPerTurn);
        await queue.inTurn(() => readAgain(some));
      }
    },
  };
}

function reached(cap: Nano): GatewayError {
  const detail = `This key may spend ${decimalText(cap)} in all, which does not cover the most this request could cost. Ask its owner to raise the cap, or lower max_tokens.`;
  return new GatewayError('key-cap-reached', { detail });
}
