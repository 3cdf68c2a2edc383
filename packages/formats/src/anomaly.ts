/** Anomalies that are also counted per model. The texts appear in the request's record. */
export const anomalies = {
  repairedCall: 'tool-call arguments repaired',
  unaskedCall: 'a tool call that was not asked for was left out',
  repairedJson: 'JSON repaired',
  fittedJson: 'JSON repaired to fit its schema',
  textAroundJson: 'text around JSON left out',
  announcedCall: 'a tool call announced and not made',
} as const;
