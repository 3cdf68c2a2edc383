import type { Socket } from 'node:net';

/** Node's own view of a connection; documented nowhere, but only it knows how much of one long write has left. */
interface SocketHandle {
  /** Bytes given to it. */
  readonly bytesWritten: number;
  /** Those of them that the system has not taken yet. */
  readonly writeQueueSize: number;
}

/** How many of the bytes written to a socket the system has taken, which it does only while the other side reads. */
export function takenBytes(socket: Socket): number {
  const handle = (socket as { readonly _handle?: SocketHandle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}

/** Whether something written to the socket still waits for the other side to read. */
export function hasUntaken(socket: Socket): boolean {
  return socket.bytesWritten > takenBytes(socket);
}
