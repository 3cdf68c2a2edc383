import type { Socket } from 'node:net';

/** Node's internal handle of a connection. Undocumented, but only it counts how much of one long write has left. */
interface SocketHandle {
  /** Bytes passed to the handle. */
  readonly bytesWritten: number;
  /** Those of them that the kernel has not accepted yet. */
  readonly writeQueueSize: number;
}

/** How many bytes written to a socket the kernel has accepted, which it does only while the other side reads. */
export function acceptedBytes(socket: Socket): number {
  const handle = (socket as { readonly _handle?: SocketHandle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}

/** Whether written data still waits for the other side to read. */
export function hasUnacceptedBytes(socket: Socket): boolean {
  return socket.bytesWritten > acceptedBytes(socket);
}
