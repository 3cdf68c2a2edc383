import { complete, type Fault, failed, type FaultOutcome, timedOut } from './fault.ts';
import { timeouts } from './scene.ts';

/** A fault with another outcome for some kinds of providers, and the reason. */
export interface Exception {
  /** The name of a fault, or of a moment at which a client disconnects. */
  readonly fault: string;
  readonly kinds: readonly string[];
  readonly reason: string;
  /** The outcome of the request. Omitted if the fault cannot happen. */
  readonly expected?: FaultOutcome;
  readonly timeoutMs?: number;
}

const bridged = ['bedrock', 'google', 'vertex', 'azure', 'cohere', 'mistral'];
const failedAfterText: FaultOutcome = { ...failed, text: 'Hello' };

export const exceptions: readonly Exception[] = [
  {
    fault: 'never ends its body, though its answer is complete',
    kinds: bridged,
    reason: 'The packages report the finish when the body ends. Without that end there is no finish.',
    expected: { ...timedOut, text: 'Hello' },
    timeoutMs: timeouts.idle,
  },
  {
    fault: 'answers with one JSON body instead of a stream',
    kinds: bridged,
    reason: 'The packages read a JSON body only if it was requested, and the gateway always requests a stream.',
    expected: failed,
  },
  {
    fault: 'continues with nothing but keep-alive comments',
    kinds: ['bedrock'],
    reason: 'Its protocol has no comment frames.',
  },
  ...['ends its lines with CR and LF', 'ends its lines with CR', 'uses every feature of the event-stream format'].map(
    (fault): Exception => ({ fault, kinds: ['bedrock'], reason: 'Its frames are binary and have no lines.' }),
  ),
  {
    fault: 'ends its lines with CR',
    kinds: ['google', 'vertex', 'cohere'],
    reason: 'The packages wait for a byte after the last CR, and the finish comes before that CR.',
    expected: failedAfterText,
  },
  ...['before the first word', 'in the middle of the first frame'].map(
    (fault): Exception => ({
      fault,
      kinds: ['azure'],
      reason: 'Its package returns an answer only with its first word, so no earlier moment exists.',
    }),
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
    reason: 'Its frames have a checksum, so a changed byte breaks the frame.',
    expected: failed,
  },
  {
    fault: 'sends more after the end of its answer',
    kinds: ['bedrock', 'azure', 'cohere', 'mistral'],
    reason: 'The packages report the finish when the body ends, and lose it if a malformed frame comes before that.',
    expected: failedAfterText,
  },
  {
    fault: 'sends a rejection instead of an answer',
    kinds: ['bedrock'],
    reason:
      'AWS writes the names of its exceptions in lower camel case inside a stream, and with a capital letter before it.',
    expected: { ending: 'upstream-rejected', text: '', code: 'validationException' },
  },
  {
    fault: 'sends a rejection instead of an answer',
    kinds: ['cohere'],
    reason: 'Cohere has one code for all failures of an answer.',
    expected: failed,
  },
  {
    fault: 'reports its usage in words',
    kinds: bridged,
    reason: 'The packages reject a frame whose counts are not numbers, so the answer has no end.',
    expected: failedAfterText,
  },
  {
    fault: 'reports its usage as null',
    kinds: ['bedrock', 'cohere', 'mistral'],
    reason: 'The packages reject a frame whose counts are not numbers, so the answer has no end.',
    expected: failedAfterText,
  },
  {
    fault: 'does not report its usage',
    kinds: ['cohere'],
    reason: 'Its package rejects a final frame without counts, so the answer has no end.',
    expected: failedAfterText,
  },
  {
    fault: 'reports more cached tokens than prompt tokens',
    kinds: ['anthropic', 'anthropic, passed through', 'bedrock'],
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
  const { expected, timeoutMs = fault.timeoutMs } = exception;
  return { ...fault, expected: () => expected, ...(timeoutMs !== undefined && { timeoutMs }) };
}
