import { expect, test } from 'vitest';
import { dayMs, hourMs } from '../../../core/time/calendar-day.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { percentilesOf } from './histograms.ts';
import { performanceOf } from './performance-spans.ts';
import { asCalled, performanceSums, type PerformanceSums, samplesOf } from './performance.ts';
import type { RequestRecord } from '../request-record.ts';
import { storingRequests } from '../request-writer.ts';

const now = Date.parse('2026-03-10T12:30:00Z');

/** A call sent after 10 ms with its first content 50 ms later. */
const call: AttemptRecord = {
  upstream: 'acme',
  model: 'large',
  waitMs: 10,
  beganMs: 10,
  endedMs: 60,
  firstEventMs: 60,
  status: 200,
};
const refused = { ...call, firstEventMs: undefined, status: 500, errorCase: 'upstream-failed' };

/** An answer of 40 tokens within 2 s after its first token, which came 60 ms after the request. */
function answer(fields: Partial<RequestRecord> = {}): Partial<RequestRecord> {
  return { attempts: [call], firstByteMs: 60, answeredMs: 2060, completionTokens: 40, startedAt: now, ...fields };
}

const nothing = { answered: 0, failed: 0, timed: 0, first_token_ms: 0, paced: 0, tokens: 0, generation_ms: 0 };
const answered = {
  answered: 1,
  failed: 0,
  timed: 1,
  first_token_ms: 60,
  paced: 1,
  tokens: 40,
  generation_ms: 2000,
};
const failed = { ...nothing, failed: 1 };
/** The route's own time to first token excludes the time before the call. */
const routeAnswered = { ...answered, first_token_ms: 50 };

interface Outcome {
  readonly of: string;
  readonly record: Partial<RequestRecord>;
  /** Expected sums of the model, as seen by its callers, and of the route. */
  readonly model: PerformanceSums | undefined;
  readonly route: PerformanceSums | undefined;
}

const outcomes: readonly Outcome[] = [
  { of: 'an answer', record: answer(), model: answered, route: routeAnswered },
  {
    of: 'an answer after a failed call',
    record: answer({ attempts: [refused, call] }),
    model: answered,
    route: { ...routeAnswered, failed: 1 },
  },
  {
    of: 'a request whose calls all failed',
    record: answer({ attempts: [refused, refused], status: 502, errorCase: 'upstream-failed', firstByteMs: undefined }),
    model: failed,
    route: { ...nothing, failed: 2 },
  },
  {
    of: 'an answer that broke off',
    record: answer({ attempts: [{ ...call, errorCase: 'upstream-timeout' }], errorCase: 'upstream-timeout' }),
    model: failed,
    route: failed,
  },
  {
    of: 'an answer that another call continued',
    record: answer({ attempts: [call, { ...call, beganMs: 1000, firstEventMs: 1060 }] }),
    model: { ...answered, paced: 0, tokens: 0, generation_ms: 0 },
    route: { ...nothing, answered: 1, failed: 1, timed: 1, first_token_ms: 60 },
  },
  {
    of: 'an answer after a re-prompt',
    record: answer({
      attempts: [call, { ...call, beganMs: 1000, firstEventMs: 1060 }],
      constraints: [{ model: 'acme-2026', constraint: 'json', outcome: 'reprompted' }],
    }),
    model: { ...answered, paced: 0, tokens: 0, generation_ms: 0 },
    route: { ...nothing, answered: 2, timed: 1, first_token_ms: 60 },
  },
  {
    of: 'a request that timed out in the queue while its provider reported that it was busy',
    record: answer({ attempts: [{ ...refused, status: 429 }], status: 503, errorCase: 'overloaded', attemptCount: 1 }),
    model: failed,
    route: failed,
  },
  {
    of: 'a request that timed out in the queue for our own slots',
    record: answer({ attempts: [], status: 503, errorCase: 'overloaded' }),
    model: undefined,
    route: undefined,
  },
  {
    of: 'a request that its provider rejected',
    record: answer({
      attempts: [{ ...refused, status: 400, errorCase: 'upstream-rejected' }],
      status: 400,
      errorCase: 'upstream-rejected',
    }),
    model: undefined,
    route: undefined,
  },
  {
    of: 'a request without balance',
    record: answer({ attempts: [], status: 402, errorCase: 'insufficient-balance' }),
    model: undefined,
    route: undefined,
  },
  {
    of: 'a request whose client disconnected',
    record: answer({ clientGone: true }),
    model: undefined,
    route: undefined,
  },
  {
    of: 'a request whose client disconnected after a failed call',
    record: answer({ attempts: [refused, call], clientGone: true }),
    model: undefined,
    route: failed,
  },
  {
    of: 'a request that failed after its client disconnected',
    record: answer({ attempts: [refused], clientGone: true, status: 499, errorCase: 'upstream-failed' }),
    model: undefined,
    route: failed,
  },
  { of: 'a replayed answer', record: answer({ replayOf: 'r0' }), model: undefined, route: undefined },
  {
    of: 'an answer that ends as soon as it begins',
    record: answer({ answeredMs: 61 }),
    model: { ...answered, paced: 0, tokens: 0, generation_ms: 0 },
    route: { ...routeAnswered, paced: 0, tokens: 0, generation_ms: 0 },
  },
  {
    of: 'an answer without tokens',
    record: answer({ completionTokens: undefined }),
    model: { ...nothing, answered: 1 },
    route: { ...nothing, answered: 1 },
  },
  {
    of: 'an answer without a known end',
    record: answer({ answeredMs: undefined }),
    model: { ...answered, paced: 0, tokens: 0, generation_ms: 0 },
    route: { ...routeAnswered, paced: 0, tokens: 0, generation_ms: 0 },
  },
];

test.each(outcomes)('$of', ({ record, model, route }) => {
  const samples = samplesOf(recordWith({ id: 'r1', ...record }));
  const added = (upstream: string, name: string) => {
    const own = samples.filter((sample) => sample.upstream === upstream && sample.model === name);
    const sums = performanceSums.map((sum) => [sum, own.reduce((total, { sums: each }) => total + each[sum], 0)]);
    return own.length === 0 ? undefined : Object.fromEntries(sums);
  };
  expect(added(asCalled, 'acme-2026')).toEqual(model);
  expect(added('acme', 'large')).toEqual(route);
});

forEachStore(({ open }) => {
  test('a failed model and its fallback are counted separately', async () => {
    const store = await open();
    const record = answer({ model: 'stand-in', failedModels: ['acme-2026'] });
    await store.commit(storingRequests, [recordWith({ id: 'r1', ...record })]);
    // The fallback failed too: the failure of the first model counts once, not twice.
    const bothFailed = answer({
      failedModels: ['acme-2026'],
      errorCase: 'upstream-failed',
      status: 502,
      attempts: [refused],
    });
    await store.commit(storingRequests, [recordWith({ id: 'r2', ...bothFailed })]);
    const found = await performanceOf(store, now);
    expect(found.model('acme-2026').day).toEqual({ answered: 0, failed: 2, histograms: '' });
    expect(found.model('stand-in').day).toMatchObject({ answered: 1, failed: 0 });
    expect(percentilesOf(found.model('stand-in').day.histograms).first_token_ms.count).toBe(1);
  });

  test('every record counts once in each span that contains it, and other models have no samples', async () => {
    const store = await open();
    const other = await open();
    const at = (id: string, startedAt: number) => recordWith({ id, ...answer({ startedAt }) });
    const records = [
      at('now', now),
      at('an hour ago', now - hourMs),
      at('two days ago', now - 2 * dayMs),
      at('two weeks ago', now - 14 * dayMs),
      at('two months ago', now - 60 * dayMs),
    ];
    await Promise.all([store.commit(storingRequests, records), other.commit(storingRequests, records)]);
    // A commit with an unknown outcome is repeated, together with another record.
    await other.commit(storingRequests, [...records, at('later', now)]);
    const { model, route } = await performanceOf(store, now);
    const { day, week, month } = model('acme-2026');
    expect([day.answered, week.answered, month.answered]).toEqual([3, 4, 5]);
    expect(percentilesOf(day.histograms).tokens_per_second.count).toBe(3);
    expect(percentilesOf(month.histograms).tokens_per_second.count).toBe(5);
    expect(route('acme', 'large').month.answered).toBe(5);
    const { count, p50 } = percentilesOf(route('acme', 'large').month.histograms).first_token_ms;
    expect([count, Math.round(p50 ?? 0)]).toEqual([5, 52]);
    expect(model('unknown').month).toEqual({ answered: 0, failed: 0, histograms: '' });
  });
});
