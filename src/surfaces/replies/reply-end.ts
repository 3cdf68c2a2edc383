/** How a reply ended. */
export interface ReplyEnd {
  readonly error: unknown;
  readonly isClientGone: boolean;
  /** Whether status 200 was sent; otherwise the error had its own status. */
  readonly isCommitted: boolean;
}
