import { type BytesStored, type SealedBlob, storeBlobs } from '../../platform/blobs/store-blobs.ts';
import type { Job } from '../../platform/store/job.ts';

export const storingLineBodies: Job<readonly SealedBlob[], BytesStored> = {
  module: import.meta.url,
  name: 'storingLineBodies',
  steps: (bodies) => storeBlobs('batch_lines', bodies),
};
