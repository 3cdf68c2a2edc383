import { storingBodies } from '../bodies/storing-job.ts';
import { adjustingKeyLease } from '../billing/caps/key-leases.ts';
import { adjustLease } from '../billing/wallet/leases.ts';
import { saveCheckpoints } from '../billing/recovery/save-checkpoints.ts';
import { settleCharges } from '../billing/ledger/settle.ts';
import { storingRequests } from '../requests/request-writer.ts';
import { addRollups } from '../requests/rollups/rollup-job.ts';
import { storingResponses } from '../responses/storing-job.ts';
import type { JobName } from '../store/job.ts';

export const storeJobs: readonly JobName[] = [
  settleCharges,
  adjustLease,
  adjustingKeyLease,
  saveCheckpoints,
  storingRequests,
  storingResponses,
  addRollups,
  storingBodies,
];
