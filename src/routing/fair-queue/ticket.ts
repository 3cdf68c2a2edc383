import type { Account } from './account.ts';
import type { Link } from './linked-line.ts';
import type { Visitor } from './visitor.ts';

/** One request in the queue, from its arrival to its end. Only the queue changes it. */
export interface Ticket {
  readonly visitor: Visitor;
  readonly account: Account;
  state: 'waiting' | 'running' | 'over';
  /** The virtual time at which it was let in. */
  tag: number;
  /** Whether its cost counts against its account: from its first turn on. */
  isCharged: boolean;
  /** Where it stands among those of its key. */
  place: Link<Ticket> | undefined;
}
