/**
 * What requests need of an upstream besides a slot; those of one sub-queue need the same. While it is closed they wait
 * where they are, and keep nobody of another sub-queue from a turn.
 */
export interface SubQueue {
  readonly name: string;
  isOpen(): boolean;
  /** How long it stays closed unless something happens before; 0 when time alone does not open it. */
  closedMs(): number;
}

/** The sub-queue of those who need nothing but a slot. */
export const openSubQueue: SubQueue = { name: '', isOpen: () => true, closedMs: () => 0 };
