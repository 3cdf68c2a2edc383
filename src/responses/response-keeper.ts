import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PiggybackSource } from '../store/commits.ts';
import { taskOf } from '../store/job.ts';
import type { Quota } from '../store/sized-rows.ts';
import type { Store } from '../store/store.ts';
import { bytesOf, keepingResponses, type StoredResponse } from './keeping-job.ts';
import { responseRows } from './kept-responses.ts';

export interface ResponseKeeper {
  /** Resolves when the response is in the store; rejects when the store does not accept it. */
  keep(response: StoredResponse): Promise<void>;
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
  readonly response: StoredResponse;
  kept(): void;
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
      bytes += bytesOf(response);
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
      written(batch, await store.commitTogether(keepingResponses, responsesOf(batch)));
    } catch (error) {
      for (const pending of batch) pending.failed(error);
    } finally {
      isWriting = false;
    }
  }

  function written(batch: readonly PendingResponse[], bytes: ReadonlyMap<string, number>): void {
    for (const pending of batch) pending.kept();
    for (const [accountId, stored] of bytes) {
      const bytesMax = accountBytesMax();
      const newest = batch.findLast(({ response }) => response.accountId === accountId)?.response.id;
      if (stored > bytesMax && newest !== undefined) enforceQuota({ accountId, bytesMax, except: newest });
    }
  }

  /** Enforces the quota of an account eventually: no answer waits for it. */
  function enforceQuota(quota: Quota): void {
    const deletion = responseRows
      .deleteOldest(store, quota)
      .catch(onError)
      .finally(() => deletions.delete(deletion));
    deletions.add(deletion);
  }

  const piggybackSource: PiggybackSource = {
    next() {
      const batch = isWriting ? [] : takeBatch();
      if (batch.length === 0) return undefined;
      return {
        task: taskOf(keepingResponses, responsesOf(batch)),
        taken: (bytes) => written(batch, bytes as ReadonlyMap<string, number>),
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
      new Promise((kept, failed) => {
        queue.push({ response, kept, failed });
        running ??= run();
      }),
    async stop() {
      stopPiggybacking();
      await running;
      await Promise.all(deletions);
    },
  };
}

function responsesOf(batch: readonly PendingResponse[]): readonly StoredResponse[] {
  return batch.map(({ response }) => response);
}
