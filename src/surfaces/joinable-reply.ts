import type { Exchange } from '../http/exchange.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ServedRequest } from './served-request.ts';

/** A reply that a retry may join. */
export interface JoinableReply {
  readonly request: ServedRequest;
  readonly hasReaders: boolean;
  /** From now on it keeps what it says, as long as there is room. */
  keepOn(replayBuffer: ReplayBuffer): void;
  /**
   * Nothing for a reply that is made here. For one that another process makes: true at the next sign that it still does,
   * false when the reply is over before.
   */
  goesOn?(): Promise<boolean> | undefined;
  /** Sends a retry everything from the start, and what follows. Only while it is on a replay buffer. */
  follow(exchange: Exchange, onFirstByte: () => void): Promise<ReplyEnd>;
  /** Gives the room back; whoever reads goes on reading. */
  forget(): void;
  /** Nobody is there and nobody is waited for. */
  abandon(): void;
}

/** Room for what a reply has said so far. */
export interface ReplayBuffer {
  /** Whether there is room for so many more characters, which are taken then. */
  take(characters: number): boolean;
  /** Whether the reply would be short enough to be kept with so many more. */
  fits(characters: number): boolean;
  /** What was said cannot be had again from here. */
  clear(): void;
  /** It is over, and nothing of it is kept. */
  leave(): void;
  /** Everything was said; it stays for a while. */
  finish(): void;
}
