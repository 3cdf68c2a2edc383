/** What a dead process noted last of a request, and who pays for it; the cost as it stands there, readable or not. */
interface CheckpointNote {
  readonly requestId: string;
  readonly accountId: string;
  readonly cost: string;
}

/** A checkpoint of a dead process that cannot be charged although others can. It is not lost: it stays where it is. */
export class RefusedCheckpoint extends Error {
  override readonly name = 'RefusedCheckpoint';
  readonly requestId: string;
  readonly accountId: string;
  readonly cost: string;

  constructor({ requestId, accountId, cost }: CheckpointNote, cause: unknown) {
    super(`the checkpoint of request ${requestId} cannot be charged: ${String(cause)}`, { cause });
    this.requestId = requestId;
    this.accountId = accountId;
    this.cost = cost;
  }
}
