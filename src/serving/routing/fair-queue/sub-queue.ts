/** Requests that need the same besides a slot. While it is closed, they wait, and block no other sub-queue. */
export interface SubQueue {
  readonly name: string;
  isOpen(): boolean;
  /** How long until time alone opens it; 0 if time alone does not open it. */
  closedMs(): number;
}

/** The sub-queue of requests that need only a slot. */
export const openSubQueue: SubQueue = { name: '', isOpen: () => true, closedMs: () => 0 };
