import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { decimalText, type Nano } from '../core/money.ts';
import type { Store } from '../store/store.ts';

/** Keeps keys within what they may spend in all. */
export interface SpendCaps {
  /** Counts the amount as spent until it is released. Refuses with `insufficient-balance` when the cap does not allow it. */
  reserve(keyId: string, cap: Nano, amount: Nano): Promise<{ readonly release: (spent: Nano) => void }>;
}

/** How long what other processes spend on the key may go unnoticed. */
const freshMs = 5000;

interface KeySpend {
  spent: Nano;
  held: Nano;
  readMs: number;
}

export function spendCaps(store: Store, clock: Clock): SpendCaps {
  const keys = new Map<string, KeySpend>();

  async function current(keyId: string): Promise<KeySpend> {
    const known = keys.get(keyId) ?? { spent: 0n, held: 0n, readMs: Number.NEGATIVE_INFINITY };
    keys.set(keyId, known);
    if (clock.elapsed() - known.readMs > freshMs) {
      known.spent = await spentBy(store, keyId);
      known.readMs = clock.elapsed();
    }
    return known;
  }

  return {
    async reserve(keyId, cap, amount) {
      const key = await current(keyId);
      if (key.spent + key.held + amount > cap) throw reached(cap);
      key.held += amount;
      return {
        release: (spent) => {
          key.held -= amount;
          key.spent += spent;
        },
      };
    },
  };
}

async function spentBy(store: Store, keyId: string): Promise<Nano> {
  const row = await store.db
    .selectFrom('transfers')
    .select((line) => line.cast<string>(line.fn.sum('amount'), 'text').as('amount'))
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return -BigInt(row?.amount ?? 0);
}

function reached(cap: Nano): GatewayError {
  const detail = `This key may spend ${decimalText(cap)} in all, which does not cover the most this request could cost. Ask its owner to raise the cap, or lower max_tokens.`;
  return new GatewayError('insufficient-balance', { detail });
}
