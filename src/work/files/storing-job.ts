import { type BytesStored, type SealedBlob, storeBlobs } from '../../platform/blobs/store-blobs.ts';
import type { Job } from '../../platform/store/job.ts';

export const storingFileChunks: Job<readonly SealedBlob[], BytesStored> = {
  module: import.meta.url,
  name: 'storingFileChunks',
  steps: (chunks) => storeBlobs('files', chunks),
};

export const storingGatewayFileChunks: Job<readonly SealedBlob[], BytesStored> = {
  module: import.meta.url,
  name: 'storingGatewayFileChunks',
  steps: (chunks) => storeBlobs('gateway_files', chunks),
};
