/** How a reply ended, as its surface saw it. */
export interface ReplyEnd {
  readonly error: unknown;
  readonly isClientGone: boolean;
  /** Whether 200 went out; if not, the error's own status did. */
  readonly isCommitted: boolean;
}
