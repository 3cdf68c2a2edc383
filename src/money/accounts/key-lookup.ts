import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../core/time/clock.ts';
import { delay } from '../../core/time/delay.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../platform/store/store.ts';
import type { LimitColumns } from './spend-limits.ts';
import type { KeyScheme } from '../../platform/store/tables/columns.ts';

/** A key with its account, organisation and member as the store has them, in any state. */
export interface StoredKey extends LimitColumns {
  readonly keyId: string;
  readonly keyName: string;
  readonly accountName: string;
  readonly packageName: string;
  readonly accountStatus: 'active' | 'suspended';
  readonly digest: string;
  readonly scheme: KeyScheme | null;
  readonly models: string | null;
  readonly organisationModels: string | null;
  readonly memberModels: string | null;
  readonly memberMaxConcurrency: number | null;
  readonly maxConcurrency: number | null;
  readonly addresses: string | null;
  readonly honourStreamFalse: number;
  readonly reportCost: number;
  readonly storeBodies: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface KeyLookupParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly waitMaxMs?: () => number;
}

const batchMax = 100;
const waitingMax = 10_000;
/**
 * Maximum wait for an unreachable store. No response byte can be sent meanwhile, because the status may be 401. After a
 * longer silence, a proxy might give up the connection.
 */
const timeoutMaxMs = 30_000;
const retryMs = 250;

/**
 * Finds keys by digest, up to 100 in one query and one query at a time. A flood of invented keys becomes a few queries,
 * and a valid key that is not cached waits only for the batches before it. Lookups in one turn of the event loop share
 * a query, and the same digest is queried once. While the store is unreachable, lookups wait in order, each until its
 * timeout.
 */
export function keyLookup(parts: KeyLookupParts): (digest: string) => Promise<StoredKey | undefined> {
  const { store, clock, waitMaxMs = () => timeoutMaxMs } = parts;
  const waiting = new Map<string, PendingLookup>();
  let isBusy = false;

  async function work(): Promise<void> {
    isBusy = true;
    while (waiting.size > 0) {
      await nextTurn();
      const isAnswered = await answer([...waiting.keys()].slice(0, batchMax));
      if (!isAnswered && waiting.size > 0) await delay(clock, retryMs);
    }
    isBusy = false;
  }

  /** Returns false if the store is unreachable. Then only the lookups that have timed out are rejected. */
  async function answer(digests: readonly string[]): Promise<boolean> {
    try {
      const keys = new Map((await stored(store, digests)).map((key) => [key.digest, key]));
      for (const digest of digests) take(digest)?.resolve(keys.get(digest));
      return true;
    } catch (error) {
      const since = clock.elapsed() - Math.min(timeoutMaxMs, waitMaxMs());
      const late = [...waiting].filter(([, { startedMs }]) => startedMs <= since);
      for (const [digest] of late) take(digest)?.reject(unavailable(error));
      return false;
    }
  }

  function take(digest: string): PendingLookup | undefined {
    const pending = waiting.get(digest);
    waiting.delete(digest);
    return pending;
  }

  return (digest) => {
    const pending = waiting.get(digest);
    if (pending) return pending.promise;
    if (waiting.size >= waitingMax) return Promise.reject(new GatewayError('overloaded'));
    const lookup = Promise.withResolvers<StoredKey | undefined>();
    waiting.set(digest, { ...lookup, startedMs: clock.elapsed() });
    if (!isBusy) void work();
    return lookup.promise;
  };
}

interface PendingLookup extends PromiseWithResolvers<StoredKey | undefined> {
  readonly startedMs: number;
}

function stored(store: Store, digests: readonly string[]): Promise<StoredKey[]> {
  return store.db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .leftJoin('organisations', 'organisations.id', 'accounts.organisation_id')
    .leftJoin('console_members', (join) =>
      join
        .onRef('console_members.account_id', '=', 'api_keys.account_id')
        .onRef('console_members.user_id', '=', 'api_keys.member_id'),
    )
    .select([
      'api_keys.member_id as memberId',
      'console_members.limits as memberLimits',
      'accounts.limits as accountLimits',
      'accounts.organisation_id as organisationId',
      'organisations.limits as organisationLimits',
      'organisations.time_zone as organisationTimeZone',
      'organisations.kept_spans as organisationKeptSpans',
    ])
    .select([
      'api_keys.id as keyId',
      'api_keys.name as keyName',
      'accounts.id as accountId',
      'accounts.name as accountName',
      'accounts.package as packageName',
      'accounts.status as accountStatus',
      'api_keys.digest as digest',
      'api_keys.scheme as scheme',
      'api_keys.models as models',
      'organisations.models as organisationModels',
      'console_members.models as memberModels',
      'console_members.max_concurrency as memberMaxConcurrency',
      'accounts.time_zone as timeZone',
      'accounts.kept_spans as keptSpans',
      'api_keys.spend_cap as spendCap',
      'api_keys.cap_period as capPeriod',
      'api_keys.max_concurrency as maxConcurrency',
      'api_keys.addresses as addresses',
      'api_keys.first_id as firstId',
      'api_keys.honour_stream_false as honourStreamFalse',
      'api_keys.report_cost as reportCost',
      'api_keys.store_bodies as storeBodies',
      'api_keys.expires_at as expiresAt',
      'api_keys.revoked_at as revokedAt',
    ])
    .where('api_keys.digest', 'in', digests)
    .execute();
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError('overloaded', {
    detail: 'The API key could not be checked right now. Please try again later.',
    cause,
  });
}
