import type { Clock, Timer } from '../../core/time/clock.ts';
import type { Socket } from 'node:net';

export type HttpClock = Pick<Clock, 'elapsed' | 'after' | 'cancel'>;

export interface WriteObserver {
  /** Data was written; the client may not have read all of it. */
  wrote(): void;
  /** No data is waiting for the client, or the client has left. */
  drained(): void;
}

interface ReaderWatchParts {
  readonly clock: HttpClock;
  /** How long a client may read nothing although data is waiting. */
  readonly stallMs: number;
  /** How much the client has read so far, in any unit that only grows. */
  readonly taken: () => number;
  readonly stalled: () => void;
}

const checksPerStall = 4;

/** Distinguishes a stopped client from a slow one by what the client reads, not by what the gateway writes. */
export class ReaderWatch implements WriteObserver {
  readonly #parts: ReaderWatchParts;
  #timer: Timer | undefined;
  #taken = 0;
  #lastProgressMs = 0;

  constructor(parts: ReaderWatchParts) {
    this.#parts = parts;
  }

  wrote(): void {
    if (this.#timer !== undefined) return;
    this.#taken = this.#parts.taken();
    this.#lastProgressMs = this.#parts.clock.elapsed();
    this.#scheduleCheck(this.#parts.stallMs);
  }

  drained(): void {
    this.#parts.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    const { clock, stallMs, taken, stalled } = this.#parts;
    this.#timer = undefined;
    const now = clock.elapsed();
    const takenNow = taken();
    if (takenNow > this.#taken) this.#lastProgressMs = now;
    this.#taken = takenNow;
    const leftMs = this.#lastProgressMs + stallMs - now;
    if (leftMs <= 0) stalled();
    else this.#scheduleCheck(leftMs);
  };

  #scheduleCheck(leftMs: number): void {
    const { clock, stallMs } = this.#parts;
    this.#timer = clock.after(Math.ceil(Math.min(leftMs, stallMs / checksPerStall)), this.#check);
    this.#timer.unref();
  }
}

/** Node's internal handle of a connection. Undocumented, but only it counts how much of one long write has left. */
interface SocketHandle {
  readonly bytesWritten: number;
  /** Those of them that the kernel has not accepted yet. */
  readonly writeQueueSize: number;
}

/** How many bytes written to a socket the kernel has accepted, which it does only while the other side reads. */
export function acceptedBytes(socket: Socket): number {
  const handle = (socket as { readonly _handle?: SocketHandle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}

export function hasUnacceptedBytes(socket: Socket): boolean {
  return socket.bytesWritten > acceptedBytes(socket);
}
