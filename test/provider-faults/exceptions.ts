import { complete, type Fault, failed, type FaultOutcome, timedOut } from './fault.ts';
import { timeouts } from './scene.ts';

/** Where a kind of provider cannot end as the others do, and why. */
export interface Exception {
  /** The name of a fault, or of a moment at which a client leaves. */
  readonly fault: string;
  readonly kinds: readonly string[];
  readonly reason: string;
  /** What becomes of the request instead; left out where the fault cannot happen at all. */
  readonly expected?: FaultOutcome;
  readonly borneMs?: number;
}

const bridged = ['bedrock', 'google', 'vertex', 'azure', 'cohere', 'mistral'];
const saidAll: FaultOutcome = { ...failed, text: 'Hello' };

export const exceptions: readonly Exception[] = [
  {
    fault: 'never ends its body, though its answer is complete',
    kinds: bridged,
    reason: 'The packages tell of the finish when the body ends, so an answer without that end has none.',
    expected: { ...timedOut, text: 'Hello' },
    borneMs: timeouts.idle,
  },
  {
    fault: 'answers with one JSON body instead of a stream',
    kinds: bridged,
    reason: 'The packages read a whole answer only if it was asked for, and a stream always is.',
    expected: failed,
  },
  {
    fault: 'goes on with nothing but signs that the connection stands',
    kinds: ['bedrock'],
    reason: 'Its frames all say something: there is no comment among them.',
  },
  ...['ends its lines with CR and LF', 'ends its lines with CR', 'writes its events in every way that is allowed'].map(
    (fault): Exception => ({ fault, kinds: ['bedrock'], reason: 'Its frames are binary and have no lines.' }),
  ),
  {
    fault: 'ends its lines with CR',
    kinds: ['google', 'vertex', 'cohere'],
    reason: 'The packages wait for what may follow a last CR, and the finish is in front of it.',
    expected: saidAll,
  },
  ...['before the first word', 'in the middle of the first frame'].map(
    (fault): Exception => ({
      fault,
      kinds: ['azure'],
      reason: 'Its package hands an answer over with the first word of it, so that there is nothing to leave before.',
    }),
  ),
  {
    fault: 'stutters',
    kinds: ['bedrock'],
    reason: 'Behind a frame whose checksum is wrong nobody knows where the next one begins.',
    expected: { ...failed, text: 'Hel' },
  },
  {
    fault: 'says bytes that are no UTF-8',
    kinds: ['bedrock'],
    reason: 'A checksum guards its frames: a byte that was changed breaks the frame.',
    expected: failed,
  },
  {
    fault: 'goes on behind the end of its answer',
    kinds: ['bedrock', 'azure', 'cohere', 'mistral'],
    reason: 'The packages tell of the finish when the body ends, and forget it over a broken frame before that.',
    expected: saidAll,
  },
  {
    fault: 'refuses in place of an answer',
    kinds: ['bedrock'],
    reason: 'AWS writes its exceptions with a small letter in a stream, and with a capital one in front of it.',
    expected: { ending: 'upstream-rejected', text: '', code: 'validationException' },
  },
  {
    fault: 'refuses in place of an answer',
    kinds: ['cohere'],
    reason: 'Cohere has one word for every way in which an answer fails.',
    expected: failed,
  },
  {
    fault: 'says in words what it used',
    kinds: bridged,
    reason: 'The packages refuse a frame whose counts are no numbers, and what is left has no end.',
    expected: saidAll,
  },
  {
    fault: 'says null for what it used',
    kinds: ['bedrock', 'cohere', 'mistral'],
    reason: 'The packages refuse a frame whose counts are no numbers, and what is left has no end.',
    expected: saidAll,
  },
  {
    fault: 'does not say what it used',
    kinds: ['cohere'],
    reason: 'Its package refuses an end without counts, and what is left has no end.',
    expected: saidAll,
  },
  {
    fault: 'has more in its cache than there was',
    kinds: ['anthropic', 'anthropic, passed through', 'bedrock'],
    reason: 'What was cached is counted beside the rest of the input here, so there can be more of it.',
    expected: { ...complete, usage: { promptTokens: 907, completionTokens: 2 } },
  },
];

/** Whether a fault, or a moment, exists for this kind of provider. */
export function exists(kind: string, { name }: { readonly name: string }): boolean {
  return !exceptions.some(({ fault, kinds, expected }) => fault === name && kinds.includes(kind) && !expected);
}

/** The fault as this kind of provider has it. */
export function faultOf(kind: string, fault: Fault): Fault {
  const exception = exceptions.find((other) => other.fault === fault.name && other.kinds.includes(kind));
  if (!exception?.expected) return fault;
  const { expected, borneMs = fault.borneMs } = exception;
  return { ...fault, expected: () => expected, ...(borneMs !== undefined && { borneMs }) };
}
