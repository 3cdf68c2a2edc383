import { storingBodies } from '../bodies/storing-job.ts';
import { adjustBudgetLease } from '../billing/budgets/budget-leases.ts';
import { readBudgets } from '../billing/budgets/limit-reading.ts';
import { adjustLease } from '../billing/wallet/leases.ts';
import { saveCheckpoints } from '../billing/recovery/save-checkpoints.ts';
import { settleCharges } from '../billing/ledger/settle.ts';
import { storingLineOutcome } from '../platform/outbox/line-outcome.ts';
import { storingLineBodies } from '../batches/storing-job.ts';
import { storingFileChunks, storingGatewayFileChunks } from '../files/storing-job.ts';
import { storingRequests } from '../requests/request-writer.ts';
import { addRollups } from '../requests/rollups/rollup-job.ts';
import { storingResponses } from '../responses/storing-job.ts';
import type { JobName } from '../platform/store/job.ts';

export const storeJobs: readonly JobName[] = [
  settleCharges,
  adjustLease,
  adjustBudgetLease,
  readBudgets,
  saveCheckpoints,
  storingRequests,
  storingResponses,
  addRollups,
  storingBodies,
  storingFileChunks,
  storingGatewayFileChunks,
  storingLineBodies,
  storingLineOutcome,
];
