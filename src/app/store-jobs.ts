import { storingBodies } from '../work/bodies/storing-job.ts';
import { adjustBudgetLease } from '../money/billing/budgets/budget-leases.ts';
import { readBudgets } from '../money/billing/budgets/limit-reading.ts';
import { adjustLease } from '../money/billing/wallet/leases.ts';
import { saveCheckpoints } from '../money/billing/recovery/save-checkpoints.ts';
import { settleCharges } from '../money/billing/settle.ts';
import { storingLineOutcome } from '../platform/outbox/line-outcome.ts';
import { storingLineBodies } from '../work/batches/storing-job.ts';
import { storingFileChunks, storingGatewayFileChunks } from '../work/files/storing-job.ts';
import { storingRequests } from '../money/requests/request-writer.ts';
import { addRollups } from '../money/requests/rollups/rollup-job.ts';
import { storingResponses } from '../work/responses/storing-job.ts';
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
