import type { Nano } from '../../../core/money.ts';
import { statementsFor, type Job, jsonText, type Steps } from '../../../platform/store/job.ts';
import { insertion } from '../../../platform/store/row-statements.ts';
import { ownProcess } from '../ledger/ledger-statements.ts';

/** The cost so far of a running request. */
export interface Checkpoint {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly priceVersion: string;
  readonly cost: Nano;
  readonly held: Nano;
  /** When its money was reserved. */
  readonly at: number;
}

interface CheckpointBatch {
  readonly processId: string;
  readonly checkpoints: readonly Checkpoint[];
}

/** Writes checkpoints. Returns false and writes nothing if the process has expired. */
export const saveCheckpoints: Job<CheckpointBatch, boolean> = {
  module: import.meta.url,
  name: 'saveCheckpoints',
  *steps({ processId, checkpoints }): Steps<boolean> {
    const [registered = []] = yield [{ statement: ownProcess, parameter: jsonText({ processes: [processId] }) }];
    // The process was reaped, so these checkpoints would never be charged or deleted.
    if (registered.length === 0) return { last: [], result: false };
    const rows = checkpoints.map(({ requestId, accountId, keyId, cost, priceVersion, held, at }) => {
      const names = [requestId, processId, accountId, keyId];
      return [...names, String(cost), priceVersion, String(held), at];
    });
    return { last: statementsFor(upsert, rows), result: true };
  },
};

const upsert = insertion(
  'open_charges',
  {
    request_id: 'text',
    process_id: 'text',
    account_id: 'text',
    key_id: 'text',
    cost: 'bigint',
    price_version: 'text',
    held: 'bigint',
    at: 'bigint',
  },
  {
    onConflict:
      '(request_id) do update set process_id = excluded.process_id, cost = excluded.cost, held = excluded.held, price_version = excluded.price_version',
  },
);
