/** The states of a batch in their order. A cancelled one is `cancelling` until no line of it runs. */
export const batchStates = [
  'validating',
  'in_progress',
  'finalizing',
  'cancelling',
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const;
