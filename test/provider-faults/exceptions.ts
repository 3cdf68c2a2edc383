import { complete, type Fault, failed, type FaultOutcome } from './fault.ts';

/** A fault with another outcome for some kinds of providers, and the reason. */
export interface Exception {
  /** The name of a fault, or of a moment at which a client disconnects. */
  readonly fault: string;
  readonly kinds: readonly string[];
  readonly reason: string;
  /** The outcome of the request. Omitted if the fault cannot happen. */
  readonly expected?: FaultOutcome;
}

export const exceptions: readonly Exception[] = [
  {
    fault: 'continues with nothing but keep-alive comments',
    kinds: ['bedrock'],
    reason: 'Its protocol has no comment frames.',
  },
  ...['ends its lines with CR and LF', 'ends its lines with CR', 'uses every feature of the event-stream format'].map(
    (fault): Exception => ({ fault, kinds: ['bedrock'], reason: 'Its frames are binary and have no lines.' }),
  ),
  {
    fault: 'sends two malformed frames',
    kinds: ['bedrock'],
    reason: 'After a frame with a wrong checksum, the start of the next frame is unknown.',
    expected: { ...failed, text: 'Hel' },
  },
  {
    fault: 'sends bytes that are not UTF-8',
    kinds: ['bedrock'],
    reason: 'Its frames have the text as base64, which such bytes cannot be part of.',
  },
  {
    fault: 'sends a rejection instead of an answer',
    kinds: ['bedrock'],
    reason: 'Before a stream, AWS names the error only in a header. In a stream it becomes an error of the format.',
    expected: { ending: 'upstream-rejected', text: '', code: 'invalid_request_error' },
  },
  {
    fault: 'reports more cached tokens than prompt tokens',
    kinds: ['anthropic', 'anthropic, passed through', 'bedrock', 'vertex, Claude'],
    reason: 'Here, cached tokens are counted separately from the other input, so there can be more of them.',
    expected: { ...complete, usage: { promptTokens: 907, completionTokens: 2 } },
  },
];

/** Whether a fault or a moment can happen with this kind of provider. */
export function exists(kind: string, { name }: { readonly name: string }): boolean {
  return !exceptions.some(({ fault, kinds, expected }) => fault === name && kinds.includes(kind) && !expected);
}

/** The fault with the outcome for this kind of provider. */
export function faultOf(kind: string, fault: Fault): Fault {
  const exception = exceptions.find((other) => other.fault === fault.name && other.kinds.includes(kind));
  if (!exception?.expected) return fault;
  const { expected } = exception;
  return { ...fault, expected: () => expected };
}
