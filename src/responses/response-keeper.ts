import type { BytesStored } from '../blobs/store-blobs.ts';
import { systemClock } from '../core/time/clock.ts';
import { GroupCommitQueue } from '../store/group-commit-queue.ts';
import { taskOf } from '../store/job.ts';
import type { Store } from '../store/store.ts';
import { storedResponses } from './stored-responses.ts';
import { type SealedResponse, storingResponses } from './storing-job.ts';

export interface ResponseKeeper {
  /** Resolves when the response is in the store; rejects when the store does not accept it. */
  keep(response: SealedResponse): Promise<void>;
  /** Writes the remaining responses and waits for running deletions, then accepts no more. */
  stop(): Promise<void>;
}

interface KeeperOptions {
  readonly store: Store;
  /** Quota of an account; the oldest responses beyond it are deleted. */
  readonly accountBytesMax: () => number;
  readonly onError: (error: unknown) => void;
}

/** Limits of one commit, so that other writes do not wait long for it. */
const limits = {
  batchMax: 100,
  batchBytesMax: 16 * 1024 * 1024,
  bytesOf: ({ response }: PendingResponse) => response.sealed.length,
};

interface PendingResponse {
  readonly response: SealedResponse;
  stored(): void;
  failed(error: unknown): void;
}

/** Stores responses in batches, piggybacked on commits of charges or in commits of its own. */
export function responseKeeper({ store, accountBytesMax, onError }: KeeperOptions): ResponseKeeper {
  const deletions = new Set<Promise<void>>();

  /** The quota is enforced eventually: no answer waits for it. The newest response of each account stays. */
  function written(batch: readonly PendingResponse[], bytes: BytesStored): void {
    for (const pending of batch) pending.stored();
    const newest = new Map(batch.map(({ response }) => [response.accountId, response.id]));
    const deletion = storedResponses
      .enforceQuota(store, bytes, { bytesMax: accountBytesMax(), except: [...newest.values()], onError })
      .finally(() => deletions.delete(deletion));
    deletions.add(deletion);
  }

  const queue = new GroupCommitQueue<PendingResponse, BytesStored>({
    clock: systemClock,
    commit: (batch) => store.commitTogether(storingResponses, responsesOf(batch)),
    piggyback: { store, task: (batch) => taskOf(storingResponses, responsesOf(batch)) },
    onCommitted: written,
    onRejected: (pending, error) => pending.failed(error),
    onError,
    limits,
    delayMs: 0,
  });

  return {
    keep: (response) =>
      new Promise((stored, failed) => {
        if (!queue.push({ response, stored, failed }))
          failed(new Error('responses are no longer stored: the gateway stops'));
      }),
    async stop() {
      await queue.stop();
      await Promise.all(deletions);
    },
  };
}

function responsesOf(batch: readonly PendingResponse[]): readonly SealedResponse[] {
  return batch.map(({ response }) => response);
}
