import type { Exchange } from '../../http/exchange.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ServedRequest } from '../served-request.ts';

/** A reply that a retry may join. */
export interface JoinableReply {
  readonly request: ServedRequest;
  readonly hasReaders: boolean;
  /** From now on keeps its frames, as long as the buffer has room. */
  keepOn(replayBuffer: ReplayBuffer): void;
  /**
   * Undefined for a reply of this process. For a reply of another process: true at its next sign of activity, false if
   * the reply ends before one.
   */
  goesOn?(): Promise<boolean> | undefined;
  /** Sends a retry all frames from the start, then live ones. Only while it has a replay buffer. */
  follow(exchange: Exchange, onFirstByte: () => void): Promise<ReplyEnd>;
  /** Frees the buffer. Current readers continue. */
  forget(): void;
  /** Ends the reply: it has no reader and waits for none. */
  abandon(): void;
}

/** The buffer space for the frames of a reply. */
export interface ReplayBuffer {
  /** Reserves space for more characters. Returns false if there is none. */
  take(characters: number): boolean;
  /** Whether the reply with this many more characters stays under the limit of one reply. */
  fits(characters: number): boolean;
  /** The frames are dropped; the reply cannot be replayed. */
  clear(): void;
  /** The reply has ended without being kept. */
  leave(): void;
  /** The reply is complete and is kept for a while. */
  finish(): void;
}
