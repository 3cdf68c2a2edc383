import { type BytesStored, type SealedBlob, storeBlobs } from '../blobs/store-blobs.ts';
import type { Job } from '../store/job.ts';

export const storingLineBodies: Job<readonly SealedBlob[], BytesStored> = {
  module: import.meta.url,
  name: 'storingLineBodies',
  steps: (bodies) => storeBlobs('batch_lines', bodies),
};
