import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordWith } from '../../../test/fixtures/requests/record.ts';
import { dayMs, dayOf } from '../../core/time/calendar-day.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import type { RequestRecord } from '../request-record.ts';
import { explainingMax } from './explaining-requests.ts';
import { keyName, OwnUsage } from './own-usage.ts';
import { type InvoiceRow, reconcile } from './reconcile.ts';

const firstDay = Date.parse('2026-11-01T00:00:00Z');
const noon = firstDay + dayMs / 2;

function attempt(fields: Partial<AttemptRecord> = {}): AttemptRecord {
  return { upstream: 'acme', model: 'large', credential: 0, waitMs: 0, beganMs: 5, endedMs: 100, ...fields };
}

function record(id: string, fields: Partial<RequestRecord> = {}): RequestRecord {
  return recordWith({ id, startedAt: noon, attempts: [attempt()], cost: 30n, providerCost: 20n, ...fields });
}

const failed = attempt({ errorCase: 'upstream-failed', endedMs: 50 });

function compare(rows: readonly InvoiceRow[], records: readonly RequestRecord[], tolerance = 5000n) {
  const byCredential = rows.every(({ credential }) => credential !== undefined);
  const own = new OwnUsage({ upstream: 'acme', byCredential, from: firstDay, to: firstDay + 2 * dayMs });
  for (const each of records) own.add(each);
  return reconcile(rows, own.lines, tolerance);
}

const exact: InvoiceRow = { day: firstDay, model: 'large', credential: 0, input: 10, cached: 0, output: 5, cost: 20n };

/** A call as its provider sees it. */
interface Call {
  readonly day: number;
  readonly model: string;
  readonly credential: number;
  readonly input: number;
  readonly output: number;
  readonly cost: bigint;
  /** A failed attempt before it, at a credential, and whether the provider charges for that. */
  readonly failure: { readonly credential: number; readonly isCharged: boolean } | undefined;
}

const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    day: fc.integer({ min: 0, max: 2 }).map((index) => firstDay + index * dayMs),
    model: fc.constantFrom('large', 'small'),
    credential: fc.integer({ min: 0, max: 1 }),
    input: fc.integer({ min: 1, max: 1000 }),
    output: fc.integer({ min: 0, max: 1000 }),
    cost: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    failure: fc.option(fc.record({ credential: fc.integer({ min: 0, max: 1 }), isCharged: fc.boolean() }), {
      nil: undefined,
    }),
  }),
  { minLength: 1, maxLength: 40 },
);

function recordOf({ failure, ...call }: Call, index: number): RequestRecord {
  const answered = attempt({ model: call.model, credential: call.credential });
  const before = failure ? [{ ...failed, model: call.model, credential: failure.credential }] : [];
  return record(`r${index}`, {
    startedAt: call.day + index * 1000,
    upstreamModel: call.model,
    promptTokens: call.input,
    completionTokens: call.output,
    providerCost: call.cost,
    attempts: [...before, answered],
  });
}

function invoiceOf({ failure, ...call }: Call): readonly InvoiceRow[] {
  return failure?.isCharged ? [call, planted({ failure, ...call })] : [call];
}

/** The failed attempt as the provider charges for it: its prompt. */
function planted(call: Call): InvoiceRow {
  const { day, model, input, failure } = call;
  return { day, model, credential: failure?.credential ?? 0, input, output: 0, cost: 7n };
}

test('every planted difference is found and explained, and no other', () => {
  fc.assert(
    fc.property(calls, (made) => {
      const extra = new Map<string, { input: number; cost: bigint; ids: string[] }>();
      for (const [index, call] of made.entries()) {
        if (!call.failure?.isCharged) continue;
        const row = planted(call);
        const sum = extra.get(keyName(row)) ?? { input: 0, cost: 0n, ids: [] };
        extra.set(keyName(row), { input: sum.input + call.input, cost: sum.cost + 7n, ids: [...sum.ids, `r${index}`] });
      }
      const lines = compare(made.flatMap(invoiceOf), made.map(recordOf), 0n);
      const found = lines.filter(({ different }) => different.length > 0);
      expect(new Set(found.map(({ key }) => keyName(key)))).toEqual(new Set(extra.keys()));
      for (const { key, difference, requests, different } of found) {
        const sum = extra.get(keyName(key));
        expect(difference).toEqual({ input: sum?.input, output: 0, cost: sum?.cost });
        expect(different).toEqual(['input', 'cost']);
        expect(requests.map(({ id }) => id)).toEqual(expect.arrayContaining(sum?.ids ?? []));
      }
      const charged = lines.reduce((sum, { own }) => sum + own.charged, 0n);
      expect(charged).toBe(30n * BigInt(made.length));
    }),
  );
});

describe('the comparison', () => {
  test('has no difference if both sides agree', () => {
    const [line, ...others] = compare([exact], [record('a')]);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ different: [], requests: [], own: { attempts: 1, failedAttempts: 0, charged: 30n } });
  });

  test('ignores a difference up to the tolerance of the larger side, and reports one above it', () => {
    const large = record('a', { promptTokens: 1000 });
    const invoiced = (input: number) => compare([{ ...exact, input }], [large])[0]?.different;
    expect([invoiced(995), invoiced(1005)]).toEqual([[], []]);
    expect([invoiced(994), invoiced(1006)]).toEqual([['input'], ['input']]);
  });

  test('reports usage that only one side has', () => {
    const [large, small] = compare([{ ...exact, model: 'small' }], [record('a')]);
    expect(large).toMatchObject({ key: { model: 'large' }, difference: { input: -10, output: -5, cost: -20n } });
    expect(small).toMatchObject({ key: { model: 'small' }, difference: { input: 10, output: 5, cost: 20n } });
  });

  test('leaves out figures that the invoice does not have', () => {
    const { cost: _cost, cached: _cached, ...tokensOnly } = exact;
    expect(compare([tokensOnly], [record('a')])[0]?.difference).toEqual({ input: 0, output: 0 });
  });

  test('compares no cost if no route has one, and names the requests if some have none', () => {
    const unknown = record('a', { providerCost: undefined });
    expect(compare([exact], [unknown])[0]).toMatchObject({ different: [], difference: { input: 0 } });
    const two = { ...exact, input: 20, output: 10, cost: 40n };
    const [line] = compare([two], [unknown, record('b')]);
    expect(line).toMatchObject({ different: ['cost'], reasons: { unknown_cost: 1 }, requests: [{ id: 'a' }] });
  });

  test('adds the credentials up unless every row names one', () => {
    const other = record('b', { attempts: [attempt({ credential: 1 })] });
    const { credential: _credential, ...both } = { ...exact, input: 20, output: 10, cost: 40n };
    expect(compare([both], [record('a'), other])).toMatchObject([{ different: [], key: { credential: undefined } }]);
    expect(compare([exact, { ...exact, credential: 1 }], [record('a'), other])).toMatchObject([
      { different: [], key: { credential: 0 } },
      { different: [], key: { credential: 1 } },
    ]);
  });

  test('leaves out other upstreams, except for failed attempts at this one', () => {
    const moved = record('a', { upstream: 'other', attempts: [failed, attempt({ upstream: 'other' })] });
    const [line] = compare([exact], [moved]);
    expect(line?.own).toMatchObject({ input: 0, attempts: 1, failedAttempts: 1, answers: 0 });
    expect(line?.requests).toMatchObject([{ id: 'a', reasons: ['failed_attempt'] }]);
  });
});

describe('the explanation', () => {
  const more = { ...exact, input: 99 };
  const less = { ...exact, input: 1 };
  const violated = attempt({ errorCase: 'constraint-violated', status: 200 });
  const clamped =
    'the provider reported 9 prompt tokens and 9 completion tokens; the request can use at most 9 prompt tokens and 5 completion tokens, and that was charged';
  test.each<[string, Partial<RequestRecord>, readonly string[], readonly string[]]>([
    ['an ordinary request', {}, [], []],
    ['a failed attempt', { attempts: [failed, attempt()] }, ['failed_attempt', 'retry'], []],
    ['a rejected attempt', { attempts: [{ ...failed, status: 429 }, attempt()] }, ['retry'], []],
    ['a server error', { attempts: [{ ...failed, status: 502 }, attempt()] }, ['failed_attempt', 'retry'], []],
    ['a re-prompt', { attempts: [violated, attempt()] }, ['discarded_answer'], ['discarded_answer']],
    ['a client that left', { clientGone: true }, ['client_gone'], ['client_gone']],
    ['counted usage', { usageSource: 'counted' }, ['counted_usage'], ['counted_usage']],
    ['estimated usage', { usageSource: 'estimated' }, ['estimated_usage'], ['estimated_usage']],
    ['clamped usage', { notes: [clamped] }, ['clamped_usage'], []],
    ['an answer across midnight', { startedAt: firstDay + dayMs - 50 }, ['across_midnight'], ['across_midnight']],
  ])('of %s', (_name, fields, ofMore, ofLess) => {
    const given = record('a', fields);
    expect(dayOf(given.startedAt)).toBe(firstDay);
    expect(compare([more], [given])[0]?.requests.flatMap(({ reasons }) => reasons)).toEqual(ofMore);
    expect(compare([less], [given])[0]?.requests.flatMap(({ reasons }) => reasons)).toEqual(ofLess);
  });

  test('lists the most telling requests, and counts all', () => {
    const counted = Array.from({ length: 300 }, (_, index) => record(`c${index}`, { usageSource: 'counted' }));
    const broken = record('broken', { attempts: [failed], promptTokens: undefined, usageSource: undefined });
    const [line] = compare([{ ...more, input: 9999 }], [...counted, broken, ...counted]);
    expect(line?.requests).toHaveLength(explainingMax);
    expect(line?.requests[0]).toMatchObject({ id: 'broken', reasons: ['failed_attempt'] });
    expect(line?.reasons).toEqual({ counted_usage: 600, failed_attempt: 1 });
  });
});
