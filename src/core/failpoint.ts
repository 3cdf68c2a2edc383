/** Instants at which a fault is worth a test. A running gateway passes them without noticing. */
export const failpointNames = [
  'requests.committing',
  'requests.committed',
  'ledger.settling',
  'ledger.settled',
  'ledger.journaled',
  'reply.claimed',
  'reply.recorded',
] as const;

export type FailpointName = (typeof failpointNames)[number];

/** Called at each of those instants; only a fault test gives one that does anything. */
export type Failpoint = (name: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};
