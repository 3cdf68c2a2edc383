/** The last checkpoint of a request of an expired process. The cost is the stored text, which may be unreadable. */
interface UnchargedCheckpoint {
  readonly requestId: string;
  readonly accountId: string;
  readonly cost: string;
}

/** A dead-letter checkpoint of an expired process: it cannot be charged although others can. The store keeps it. */
export class DeadLetterCheckpoint extends Error {
  override readonly name = 'DeadLetterCheckpoint';
  readonly requestId: string;
  readonly accountId: string;
  readonly cost: string;

  constructor({ requestId, accountId, cost }: UnchargedCheckpoint, cause: unknown) {
    super(`the checkpoint of request ${requestId} cannot be charged: ${String(cause)}`, { cause });
    this.requestId = requestId;
    this.accountId = accountId;
    this.cost = cost;
  }
}
