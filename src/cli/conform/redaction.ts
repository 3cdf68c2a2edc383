import type { CheckOutcome } from './outcome.ts';

const recognisableLength = 12;

/** The same outcome without the key: a deployment may echo it, a report that people pass around must not. */
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

/** Hides beginnings of the key as well, which trimmed texts and deliberately altered keys leave behind. */
function hidden(text: string, key: string): string {
  let rest = text.replaceAll(key, '(the key)');
  for (let length = key.length - 1; length >= recognisableLength; length -= 1) {
    rest = rest.replaceAll(key.slice(0, length), '(the key)');
  }
  return rest;
}
