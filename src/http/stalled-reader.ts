import type { Reply } from './reply.ts';

/**
 * Closes the connection if nothing of what waits to be sent leaves within the time. Node's own socket timeout sees the
 * progress of a slow reader and cuts only the one that has stopped.
 */
export function watchReader(reply: Reply, readerStallMs: number): void {
  if (reply.writableLength > 0) reply.socket?.setTimeout(readerStallMs);
}
