import { storingBodies } from '../bodies/storing-job.ts';
import { adjustingKeyLease } from '../billing/key-leases.ts';
import { adjustingLease } from '../billing/leases.ts';
import { noting } from '../billing/note-checkpoints.ts';
import { settling } from '../billing/settle.ts';
import { storingRequests } from '../requests/request-writer.ts';
import { addingSlices } from '../requests/slice-job.ts';
import { keepingResponses } from '../responses/keeping-job.ts';
import type { JobName } from '../store/job.ts';

/** The jobs that the store runs for requests. */
export const storeJobs: readonly JobName[] = [
  settling,
  adjustingLease,
  adjustingKeyLease,
  noting,
  storingRequests,
  keepingResponses,
  addingSlices,
  storingBodies,
];
