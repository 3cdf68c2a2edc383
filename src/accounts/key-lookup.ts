import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '../core/gateway-error.ts';
import type { Store } from '../store/store.ts';

/** A key and its account as the store has them, whatever their state. */
export interface StoredKey {
  readonly keyId: string;
  readonly keyName: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly packageName: string;
  readonly accountStatus: 'active' | 'suspended';
  readonly digest: string;
  readonly models: string | null;
  readonly spendCap: string | null;
  readonly honourStreamFalse: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

const batchMax = 100;
const waitingMax = 10_000;

/**
 * Finds keys by digest, many in one query and one query at a time: a flood of invented keys becomes a few queries, and
 * a valid key that is not cached waits for at most the batches before it. What is asked for in one turn of the event loop
 * shares a query, and the same digest is asked for once.
 */
export function keyLookup(store: Store): (digest: string) => Promise<StoredKey | undefined> {
  const waiting = new Map<string, PromiseWithResolvers<StoredKey | undefined>>();
  let busy = false;

  async function work(): Promise<void> {
    busy = true;
    while (waiting.size > 0) {
      await nextTurn();
      await answer([...waiting.keys()].slice(0, batchMax));
    }
    busy = false;
  }

  async function answer(digests: readonly string[]): Promise<void> {
    try {
      const found = new Map((await stored(store, digests)).map((key) => [key.digest, key]));
      for (const digest of digests) take(digest)?.resolve(found.get(digest));
    } catch (error) {
      for (const digest of digests) take(digest)?.reject(unavailable(error));
    }
  }

  function take(digest: string): PromiseWithResolvers<StoredKey | undefined> | undefined {
    const asked = waiting.get(digest);
    waiting.delete(digest);
    return asked;
  }

  return (digest) => {
    const asked = waiting.get(digest);
    if (asked) return asked.promise;
    if (waiting.size >= waitingMax) return Promise.reject(new GatewayError('overloaded'));
    const asking = Promise.withResolvers<StoredKey | undefined>();
    waiting.set(digest, asking);
    if (!busy) void work();
    return asking.promise;
  };
}

function stored(store: Store, digests: readonly string[]): Promise<StoredKey[]> {
  return store.db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id as keyId',
      'api_keys.name as keyName',
      'accounts.id as accountId',
      'accounts.name as accountName',
      'accounts.package as packageName',
      'accounts.status as accountStatus',
      'api_keys.digest as digest',
      'api_keys.models as models',
      'api_keys.spend_cap as spendCap',
      'api_keys.honour_stream_false as honourStreamFalse',
      'api_keys.expires_at as expiresAt',
      'api_keys.revoked_at as revokedAt',
    ])
    .where('api_keys.digest', 'in', digests)
    .execute();
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError('overloaded', {
    detail: 'The API key could not be checked just now. Please try again later.',
    cause,
  });
}
