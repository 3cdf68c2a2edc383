import type { BytesStored } from '../../platform/blobs/store-blobs.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GroupCommitQueue } from '../../platform/store/group-commit-queue.ts';
import { taskOf } from '../../platform/store/job.ts';
import type { Store } from '../../platform/store/store.ts';
import { storedResponses } from './stored-responses.ts';
import { type SealedResponse, storingResponses } from './storing-job.ts';

/** `pending`: the store has not confirmed the response in time. The process continues to try while it runs. */
export type Storing = 'stored' | 'pending';

export interface ResponseKeeper {
  /** Resolves within 2 s. Rejects if the response will not be stored. A second call for an id waits for the first. */
  keep(response: SealedResponse): Promise<Storing>;
  /** Writes the remaining responses and waits for running deletions, then accepts no more. */
  stop(): Promise<void>;
}

interface KeeperOptions {
  readonly store: Store;
  /** Quota of an account; the oldest responses beyond it are deleted. */
  readonly accountBytesMax: () => number;
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

/** How long the end of an answer waits for the store. */
const waitMs = 2000;
/** Sealed responses in memory that the store lacks. */
const waitingBytesMax = 128 * 1024 * 1024;

/** Limits of one commit, so that other writes do not wait long for it. */
const limits = {
  batchMax: 100,
  batchBytesMax: 16 * 1024 * 1024,
  bytesOf: ({ response }: PendingResponse) => response.sealed.length,
};

interface PendingResponse extends PromiseWithResolvers<Storing> {
  readonly response: SealedResponse;
}

/** Stores responses in batches, piggybacked on commits of charges or in commits of its own. */
export function responseKeeper({ store, accountBytesMax, onError, clock }: KeeperOptions): ResponseKeeper {
  const deletions = new Set<Promise<void>>();
  const waiting = new Map<string, PendingResponse>();
  let waitingBytes = 0;

  /** The quota is enforced eventually: no answer waits for it. The newest response of each account stays. */
  function written(batch: readonly PendingResponse[], bytes: BytesStored): void {
    for (const pending of batch) {
      forget(pending);
      pending.resolve('stored');
    }
    const newest = new Map(batch.map(({ response }) => [response.accountId, response.id]));
    const deletion = storedResponses
      .enforceQuota(store, bytes, { bytesMax: accountBytesMax(), except: [...newest.values()], onError })
      .finally(() => deletions.delete(deletion));
    deletions.add(deletion);
  }

  function rejected(pending: PendingResponse, error: unknown): void {
    forget(pending);
    pending.reject(error);
  }

  function forget({ response }: PendingResponse): void {
    waiting.delete(response.id);
    waitingBytes -= response.sealed.length;
  }

  function pendingFor(response: SealedResponse): PendingResponse | undefined {
    const found = waiting.get(response.id);
    if (found) return found;
    const pending = { response, ...Promise.withResolvers<Storing>() };
    if (waitingBytes + response.sealed.length > waitingBytesMax || !queue.push(pending)) return undefined;
    waiting.set(response.id, pending);
    waitingBytes += response.sealed.length;
    return pending;
  }

  const queue = new GroupCommitQueue<PendingResponse, BytesStored>({
    clock,
    commit: (batch) => store.commitTogether(storingResponses, responsesOf(batch)),
    piggyback: { store, task: (batch) => taskOf(storingResponses, responsesOf(batch)) },
    onCommitted: written,
    onRejected: rejected,
    onError,
    limits,
    retry: { attemptsMax: 0, pauseMs: 1000 },
    delayMs: 0,
  });

  return {
    async keep(response) {
      const pending = pendingFor(response);
      if (!pending) throw new Error('the response is not stored: too many wait for the store, or the gateway stops');
      const late = Promise.withResolvers<Storing>();
      const timer = clock.after(waitMs, () => {
        pending.promise.catch(onError);
        late.resolve('pending');
      });
      return Promise.race([pending.promise, late.promise]).finally(() => clock.cancel(timer));
    },
    async stop() {
      for (const left of await queue.stop()) rejected(left, new Error(`the store did not accept ${left.response.id}`));
      await Promise.all(deletions);
    },
  };
}

function responsesOf(batch: readonly PendingResponse[]): readonly SealedResponse[] {
  return batch.map(({ response }) => response);
}
