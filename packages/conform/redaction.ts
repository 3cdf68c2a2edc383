import type { CheckOutcome } from './outcome.ts';

const recognisableLength = 12;

/** Removes the key from an outcome: a deployment may echo it, but people share reports. */
export function withoutKey(outcome: CheckOutcome, key: string): CheckOutcome {
  switch (outcome.kind) {
    case 'pass':
      return outcome;
    case 'fail':
      return { kind: 'fail', expected: hidden(outcome.expected, key), seen: hidden(outcome.seen, key) };
    case 'skip':
      return { kind: 'skip', reason: hidden(outcome.reason, key) };
    default:
      return outcome satisfies never;
  }
}

/** Also hides prefixes of the key, which remain in truncated texts and in keys that a check has altered. */
export function hidden(text: string, key: string): string {
  let rest = text.replaceAll(key, '(the key)');
  for (let length = key.length - 1; length >= recognisableLength; length -= 1) {
    rest = rest.replaceAll(key.slice(0, length), '(the key)');
  }
  return rest;
}
