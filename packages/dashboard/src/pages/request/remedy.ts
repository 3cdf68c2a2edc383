import type { FixedTextKey } from '../../text/text.tsx';

const remedies: Readonly<Record<string, FixedTextKey>> = {
  'invalid-api-key': 'request.remedyKey',
  'key-revoked': 'request.remedyKey',
  'suspended-midway': 'request.remedySuspended',
  'access-denied': 'request.remedyAccess',
  'unknown-model': 'request.remedyAccess',
  'insufficient-balance': 'request.remedyBalance',
  'key-cap-reached': 'request.remedyCap',
  'limit-reached': 'request.remedyLimit',
  'key-busy': 'request.remedyKeyBusy',
  'address-not-allowed': 'request.remedyAddress',
  'unparseable-body': 'request.remedyBody',
  'invalid-request': 'request.remedyBody',
  'bad-request': 'request.remedyBody',
  'body-too-large': 'request.remedyTooLarge',
  'context-overflow': 'request.remedyContext',
  'upstream-rejected': 'request.remedyRejected',
  'upstream-failed': 'request.remedyProvider',
  'upstream-timeout': 'request.remedyTimeout',
  overloaded: 'request.remedyOverloaded',
  'answer-under-way': 'request.remedyOverloaded',
  'shutting-down': 'request.remedyRestart',
};

/** The error cases that the list of requests can filter by. */
export const errorCases: readonly string[] = [...Object.keys(remedies), 'constraint-violated', 'internal-error'];

/** The advice for an error. */
export function remedyOf(errorCase: string): FixedTextKey {
  return remedies[errorCase] ?? 'request.remedyInternal';
}
