import { isUtf8 } from 'node:buffer';
import { SealedBlobs } from '../../platform/blobs/sealed-blobs.ts';
import type { FileOrigin } from '../../platform/store/tables/batches.ts';

/** Chunks of one deletion: other requests wait for the same store. */
export const chunksAtOnce = 50;

/** The quota of uploads counts the chunks of clients only. */
export const fileChunks = {
  client: new SealedBlobs({ kind: 'files', batchSize: chunksAtOnce }),
  gateway: new SealedBlobs({ kind: 'gateway_files', batchSize: chunksAtOnce }),
} as const satisfies Record<FileOrigin, SealedBlobs>;

export function chunkId(fileId: string, chunk: number): string {
  return `${fileId}/${chunk}`;
}

/** A chunk as text, because blobs are texts: UTF-8 as it is, other bytes as one character each. */
export function encodeChunk(bytes: Buffer): string {
  return isUtf8(bytes) ? `u${bytes.toString('utf8')}` : `b${bytes.toString('latin1')}`;
}

export function decodeChunk(text: string): Buffer {
  return Buffer.from(text.slice(1), text.startsWith('u') ? 'utf8' : 'latin1');
}
