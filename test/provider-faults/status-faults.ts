import { json, type ScriptedReply, text } from '../fakes/fake-provider.ts';
import { type Fault, failed, type FaultOutcome, timedOut } from './fault.ts';

const rejected: FaultOutcome = { ending: 'upstream-rejected', text: '' };
const page = `<!doctype html><title>Bad</title><script>alert(1)</script>${'<p>Sorry.</p>'.repeat(100)}`;

function refusals(statuses: readonly number[], outcome: FaultOutcome): readonly Fault[] {
  return statuses.map((status) => ({
    name: `answers ${status}`,
    reply: ({ refusal: { body, headers } }) => json(status, body, headers),
    expected: ({ refusal: { code } }) => ({
      ...outcome,
      status,
      retryAfterMs: undefined,
      code: outcome === rejected ? code : undefined,
    }),
  }));
}

/** The time that the gateway waits for the body of a refusal. */
const reasonWaitMs = 2000;

/** Refusals, and their meaning for routing and for the client. */
export const statusFaults: readonly Fault[] = [
  ...refusals([400, 404, 405, 409, 413, 415, 422], rejected),
  ...refusals([401, 402, 403, 407, 424, 425, 429, 500, 502, 503, 529], failed),
  ...refusals([408, 504, 524], timedOut),
  ...[429, 503, 529].flatMap((status): readonly Fault[] => [
    {
      name: `answers ${status} with a retry-after in seconds`,
      reply: ({ refusal: { body } }) => json(status, body, { 'retry-after': '8' }),
      expected: () => ({ ...failed, status, retryAfterMs: 8000 }),
    },
  ]),
  {
    name: 'answers 429 with a retry-after date',
    // 30 s after the time of the test clock.
    reply: ({ refusal: { body } }) => json(429, body, { 'retry-after': new Date(1_700_000_030_000).toUTCString() }),
    expected: () => ({ ...failed, status: 429, retryAfterMs: 30_000 }),
  },
  {
    name: 'answers 429 with an invalid retry-after',
    reply: ({ refusal: { body } }) => json(429, body, { 'retry-after': 'soon' }),
    expected: () => ({ ...failed, status: 429, retryAfterMs: undefined }),
  },
  {
    name: 'answers 400 with a page',
    reply: () => text(400, 'text/html', page),
    expected: () => ({ ...rejected, status: 400, code: undefined }),
  },
  {
    name: 'answers 502 with a page',
    reply: () => text(502, 'text/html', page),
    expected: () => ({ ...failed, status: 502 }),
  },
  {
    name: 'answers 503 with nothing',
    reply: () => text(503, 'text/plain', ''),
    expected: () => ({ ...failed, status: 503 }),
  },
  {
    name: 'breaks the connection in the middle of a refusal',
    reply: () => async (writer) => {
      writer.head(400, { 'content-type': 'application/json' });
      await writer.body('{"error":');
      writer.reset();
    },
    expected: () => ({ ...rejected, status: 400, code: undefined }),
  },
  {
    name: 'stops in the middle of a refusal',
    reply: () => async (writer) => {
      writer.head(400, { 'content-type': 'application/json' });
      await writer.body('{"error":');
    },
    timeoutMs: reasonWaitMs,
    // The timer of the answer, and the one for the body of the refusal.
    timers: 2,
    expected: () => ({ ...rejected, status: 400, code: undefined }),
  },
  {
    name: 'refuses with a body without end',
    reply: () => endlessRefusal,
    expected: () => ({ ...failed, status: 500 }),
  },
  {
    name: 'refuses with a body of ten megabytes',
    isLarge: true,
    reply: () => text(400, 'application/json', JSON.stringify({ error: { message: 'x'.repeat(10_000_000) } })),
    expected: () => ({ ...rejected, status: 400, code: undefined }),
  },
];

const endlessRefusal: ScriptedReply = async (writer) => {
  writer.head(500, { 'content-type': 'text/html' });
  while (!writer.isClosed) await writer.body('x'.repeat(100_000));
};
