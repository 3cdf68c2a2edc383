import { SealedBlobs } from '../../platform/blobs/sealed-blobs.ts';

/** The bodies of outcomes, by the id of their request, until the output file has them. */
export const lineBodies = new SealedBlobs({ kind: 'batch_lines', batchSize: 100 });
