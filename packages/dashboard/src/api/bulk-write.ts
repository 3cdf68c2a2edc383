import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useOwnerOf } from './account.tsx';
import { ApiError } from './api-error.ts';
import { call } from './call.ts';
import { type Intents, intents } from './intents.ts';
import { refresh } from './queries.ts';

/** Writes that run at the same time. */
const parallelMax = 3;
const writeMsMax = 60_000;

export interface BulkFailure<Row> {
  readonly row: Row;
  readonly error: ApiError;
}

export interface BulkProgress<Row> {
  readonly total: number;
  readonly done: number;
  readonly failures: readonly BulkFailure<Row>[];
  readonly isRunning: boolean;
}

/** One POST for each row. A failed row does not stop the others. The paths are read again at the end. */
export function useBulkWrite<Row>(write: { readonly path: (row: Row) => string; readonly changes: readonly string[] }) {
  const client = useQueryClient();
  const ownerOf = useOwnerOf();
  const [open] = useState(() => intents());
  const [progress, setProgress] = useState<BulkProgress<Row>>();
  const run = async (rows: readonly Row[]): Promise<BulkProgress<Row>> => {
    let state: BulkProgress<Row> = { total: rows.length, done: 0, failures: [], isRunning: true };
    const report = (change: Partial<BulkProgress<Row>>) => {
      state = { ...state, ...change };
      setProgress(state);
    };
    report({});
    await inParallel(rows, parallelMax, async (row) => {
      const path = write.path(row);
      try {
        await post(open, path, ownerOf(path));
        report({ done: state.done + 1 });
      } catch (error) {
        report({ failures: [...state.failures, { row, error: error as ApiError }] });
      }
    });
    await refresh(client, ...write.changes);
    report({ isRunning: false });
    return state;
  };
  return { run, progress };
}

async function post(open: Intents, path: string, owner: string | undefined): Promise<void> {
  const { idempotencyKey } = open.begin(path, () => undefined);
  try {
    await call(path, { method: 'POST', owner, idempotencyKey, signal: AbortSignal.timeout(writeMsMax) });
    open.end(path);
  } catch (error) {
    if (error instanceof ApiError && error.isAnswer) open.end(path);
    throw error;
  }
}

/** Runs the work for each item, at most `limit` at the same time. */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
