/** Points in the code where fault tests inject a crash. In production they do nothing. */
export const failpointNames = [
  'requests.committing',
  'requests.committed',
  'ledger.settling',
  'ledger.settled',
  'ledger.journaled',
  'reply.claimed',
  'reply.recorded',
  'reply.created',
] as const;

export type FailpointName = (typeof failpointNames)[number];

/** Called at each point; only fault tests pass a function that does anything. */
export type Failpoint = (name: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};
