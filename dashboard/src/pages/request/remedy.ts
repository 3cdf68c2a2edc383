import type { PlainKey } from '../../text/text.tsx';

const remedies: Readonly<Record<string, PlainKey>> = {
  'invalid-api-key': 'request.remedyKey',
  'key-revoked': 'request.remedyKey',
  'suspended-midway': 'request.remedySuspended',
  'access-denied': 'request.remedyAccess',
  'insufficient-balance': 'request.remedyBalance',
  'key-cap-reached': 'request.remedyCap',
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

/** Cases that people look for in a list of requests. */
export const errorCases: readonly string[] = [...Object.keys(remedies), 'constraint-violated', 'internal-error'];

/** What to do about an error. */
export function remedyOf(errorCase: string): PlainKey {
  return remedies[errorCase] ?? 'request.remedyInternal';
}
