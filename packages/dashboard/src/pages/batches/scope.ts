import type { Batch, BatchDetail, OwnBatchDetail } from '../../api/wire.ts';

/** The batches of the chosen account, or, for operators, of all accounts. */
export interface Scope {
  readonly isOperator: boolean;
  /** The API path of the list. One batch is below it. */
  readonly api: string;
  /** The path of the dashboard pages. */
  readonly app: string;
}

export const ownBatches: Scope = { isOperator: false, api: '/account/v1/batches', app: '/app/batches' };
export const allBatches: Scope = { isOperator: true, api: '/admin/v1/batches', app: '/app/operator/batches' };

export function batchPath(base: string, id: string): string {
  return `${base}/${encodeURIComponent(id)}`;
}

/** A row of either list. */
export type ListedBatch = Omit<Batch, 'account_name'> & Partial<Pick<Batch, 'account_name'>>;

/** The detail of either side. Operators never read results. */
export type Detail = Omit<BatchDetail, 'account_name'> &
  Partial<Pick<BatchDetail, 'account_name'> & Pick<OwnBatchDetail, 'readable'>>;

/** How often the pages read a batch that runs. */
export const runningMs = 3000;

export function doneOf({ counts }: Pick<ListedBatch, 'counts'>): number {
  return counts.succeeded + counts.failed + counts.cancelled + counts.expired;
}
