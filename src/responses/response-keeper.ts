import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BytesStored } from '../blobs/store-blobs.ts';
import type { PiggybackSource } from '../store/commits.ts';
import { taskOf } from '../store/job.ts';
import type { Store } from '../store/store.ts';
import { storedResponses } from './stored-responses.ts';
import { type SealedResponse, storingResponses } from './storing-job.ts';

export interface ResponseKeeper {
  /** Resolves when the response is in the store; rejects when the store does not accept it. */
  keep(response: SealedResponse): Promise<void>;
  /** Stops piggybacking and waits for running writes and deletions. */
  stop(): Promise<void>;
}

interface KeeperOptions {
  readonly store: Store;
  /** Quota of an account; the oldest responses beyond it are deleted. */
  readonly accountBytesMax: () => number;
  readonly onError: (error: unknown) => void;
}

/** Limits of one commit, so that other writes do not wait long for it. */
const batchMax = 100;
const batchBytesMax = 16 * 1024 * 1024;

interface PendingResponse {
  readonly response: SealedResponse;
  stored(): void;
  failed(error: unknown): void;
}

/**
 * Stores responses in batches: piggybacked on commits of charges, or in commits of its own, which responses that arrive
 * meanwhile share.
 */
export function responseKeeper({ store, accountBytesMax, onError }: KeeperOptions): ResponseKeeper {
  const queue: PendingResponse[] = [];
  let running: Promise<void> | undefined;
  /** Its own commit is running, and requests piggybacked writes from all sources, including this one. */
  let isWriting = false;
  const deletions = new Set<Promise<void>>();

  function takeBatch(): readonly PendingResponse[] {
    let bytes = 0;
    const over = queue.findIndex(({ response }, at) => {
      bytes += response.sealed.length;
      return at > 0 && (at >= batchMax || bytes > batchBytesMax);
    });
    return queue.splice(0, over < 0 ? queue.length : over);
  }

  async function run(): Promise<void> {
    // Responses of the same tick join the batch, and so do those that arrive during a commit.
    await nextTurn();
    while (queue.length > 0) await write(takeBatch());
    running = undefined;
  }

  async function write(batch: readonly PendingResponse[]): Promise<void> {
    isWriting = true;
    try {
      written(batch, await store.commitTogether(storingResponses, responsesOf(batch)));
    } catch (error) {
      for (const pending of batch) pending.failed(error);
    } finally {
      isWriting = false;
    }
  }

  /** The quota is enforced eventually: no answer waits for it. The newest response of each account stays. */
  function written(batch: readonly PendingResponse[], bytes: BytesStored): void {
    for (const pending of batch) pending.stored();
    const newest = new Map(batch.map(({ response }) => [response.accountId, response.id]));
    const deletion = storedResponses
      .enforceQuota(store, bytes, { bytesMax: accountBytesMax(), except: [...newest.values()], onError })
      .finally(() => deletions.delete(deletion));
    deletions.add(deletion);
  }

  const piggybackSource: PiggybackSource = {
    next() {
      const batch = isWriting ? [] : takeBatch();
      if (batch.length === 0) return undefined;
      return {
        task: taskOf(storingResponses, responsesOf(batch)),
        taken: (bytes) => written(batch, bytes as BytesStored),
        // The batch is written in a commit of its own, after the running one.
        refused: () => {
          queue.unshift(...batch);
          running ??= run();
        },
      };
    },
  };
  const stopPiggybacking = store.piggyback(piggybackSource);

  return {
    keep: (response) =>
      new Promise((stored, failed) => {
        queue.push({ response, stored, failed });
        running ??= run();
      }),
    async stop() {
      stopPiggybacking();
      await running;
      await Promise.all(deletions);
    },
  };
}

function responsesOf(batch: readonly PendingResponse[]): readonly SealedResponse[] {
  return batch.map(({ response }) => response);
}
