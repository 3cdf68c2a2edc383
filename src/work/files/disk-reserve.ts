import { GatewayError } from 'chat-formats/gateway-error.ts';

interface ReserveParts {
  /** The space that the store can still use: free space of its disk, and free pages inside its file. */
  readonly space: () => Promise<{ readonly diskBytes: number; readonly pageBytes: number }>;
  readonly reserveBytes: () => number;
  /** Whether a full disk caused this error. */
  readonly isFull: (error: unknown) => boolean;
}

/**
 * Stops uploads before the disk of the embedded store is full. The rest is for charges, checkpoints and deletions: a
 * full disk would refuse the requests of all accounts.
 */
export class DiskReserve {
  readonly #parts: ReserveParts;
  /** Writes that this process has begun. */
  #pendingBytes = 0;

  constructor(parts: ReserveParts) {
    this.#parts = parts;
  }

  /** Rejects if uploads must wait for free space. */
  async require(): Promise<void> {
    const { diskBytes, pageBytes } = await this.#parts.space();
    const reserveBytes = this.#parts.reserveBytes();
    // The journal of SQLite grows also if all new pages fit into its file.
    const isEnough = diskBytes + pageBytes - this.#pendingBytes >= reserveBytes && diskBytes >= reserveBytes / 4;
    if (!isEnough) throw noSpace();
  }

  /** Does a write of this size if enough space is left. */
  async during<Result>(bytes: number, write: () => Promise<Result>): Promise<Result> {
    this.#pendingBytes += bytes;
    try {
      await this.require();
      return await write();
    } catch (error) {
      throw this.#parts.isFull(error) ? noSpace(error) : error;
    } finally {
      this.#pendingBytes -= bytes;
    }
  }
}

function noSpace(cause?: unknown): GatewayError {
  const detail =
    'The disk of the gateway is almost full, so it takes no uploads now. Other requests are served. Try again later.';
  return new GatewayError('overloaded', { detail, cause });
}
