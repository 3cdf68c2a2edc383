/** Anomalies that are also counted for each model, in the words of the request's record. */
export const anomalies = {
  repairedCall: 'tool-call arguments repaired',
  announcedCall: 'a tool call announced and not made',
} as const;
