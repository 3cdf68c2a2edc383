import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import { seededRandom } from '../../../test/crash/random.ts';
import { ScriptFlow, spoken, textDelta } from '../../../test/fakes/flows.ts';
import {
  modelOf,
  nothingLeft,
  refused,
  type Script,
  scriptedUpstreams,
} from '../../../test/fakes/scripted-upstreams.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fails = (error: unknown): Script => {
  return () => {
    throw error;
  };
};
const broken = fails(new GatewayError('upstream-failed'));
const slow = fails(new GatewayError('upstream-timeout'));
const answersWith = (text: string): Script => {
  return () => spoken(text);
};
const caseOf = (error: unknown) => (error instanceof GatewayError ? error.case : String(error));
const settle = async (pending: Promise<string>) => {
  const outcome = pending.catch(caseOf);
  await vi.advanceTimersByTimeAsync(120_000);
  return outcome;
};

test('the router uses routes of a later priority only if the earlier ones fail', async () => {
  const upstreams = scriptedUpstreams({
    first: { script: answersWith('first') },
    second: { script: answersWith('second') },
  });
  const model = modelOf([{ upstream: 'second', priority: 1 }, { upstream: 'first' }]);
  for (let i = 0; i < 5; i += 1) expect(await upstreams.call(model)).toBe('first');
  const failing = scriptedUpstreams({ first: { script: slow }, second: { script: answersWith('second') } });
  expect(await failing.call(model)).toBe('second');
  expect(failing.attempts).toMatchObject([
    { upstream: 'first', credential: 0, position: 0, error: { case: 'upstream-timeout' }, firstEventMs: undefined },
    { upstream: 'second', status: 200, error: undefined, firstEventMs: expect.any(Number) },
  ]);
  expect(failing.leftovers()).toEqual(nothingLeft);
});

test('a waiting request is served by the first upstream of its priority with a free slot', async () => {
  const talking: Script = () => new ScriptFlow([[textDelta('x')]], 'hang');
  const upstreams = scriptedUpstreams({ a: { script: talking, slots: 1 }, b: { script: talking, slots: 1 } });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b' }]);
  const one = await upstreams.open(model);
  const other = await upstreams.open(model);
  expect(new Set([one.candidate.route.upstream, other.candidate.route.upstream])).toEqual(new Set(['a', 'b']));
  const third = upstreams.open(model);
  await vi.advanceTimersByTimeAsync(5000);
  expect(upstreams.calls).toHaveLength(2);
  other.flow.cancel();
  const served = await third;
  expect(served.candidate.route.upstream).toBe(other.candidate.route.upstream);
  expect(upstreams.attempts.at(-1)).toMatchObject({ waitMs: 5000 });
  for (const { flow } of [one, served]) flow.cancel();
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a request that cannot pay for its slot gives it to the next one, and no provider is called', async () => {
  const talking: Script = () => new ScriptFlow([[textDelta('x')]], 'hang');
  const upstreams = scriptedUpstreams({ a: { script: talking, slots: 1 } });
  const model = modelOf([{ upstream: 'a' }]);
  const poor = vi.fn(() => Promise.reject(new GatewayError('insufficient-balance')));
  const { signal } = new AbortController();
  await expect(upstreams.open(model, {}, signal, poor)).rejects.toMatchObject({ case: 'insufficient-balance' });
  expect([poor.mock.calls.length, upstreams.calls.length]).toEqual([1, 0]);
  expect(upstreams.leftovers()).toEqual(nothingLeft);

  const running = await upstreams.open(model);
  const waiting = upstreams.open(model, {}, signal, poor).catch(caseOf);
  const paid = vi.fn(() => Promise.resolve());
  const next = upstreams.open(model, {}, signal, paid);
  await vi.advanceTimersByTimeAsync(1000);
  expect([poor.mock.calls.length, paid.mock.calls.length]).toEqual([1, 0]);
  running.flow.cancel();
  expect(await waiting).toBe('insufficient-balance');
  const served = await next;
  expect([poor.mock.calls.length, paid.mock.calls.length, upstreams.calls.length]).toEqual([2, 1, 2]);
  served.flow.cancel();
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a removed upstream serves requests that wait there if all other upstreams failed', async () => {
  const talking: Script = () => new ScriptFlow([[textDelta('x')]], 'hang');
  const upstreams = scriptedUpstreams({ first: { script: broken }, last: { script: talking, slots: 1 } });
  const before = await upstreams.open(modelOf([{ upstream: 'last' }]));
  const waiting = upstreams.open(modelOf([{ upstream: 'first' }, { upstream: 'last', priority: 1 }]));
  await vi.advanceTimersByTimeAsync(1000);
  expect(upstreams.inUse.taken().waiting).toBe(1);
  upstreams.use(['first']);
  await vi.advanceTimersByTimeAsync(1000);
  before.flow.cancel();
  const served = await waiting;
  expect(served.candidate.route.upstream).toBe('last');
  served.flow.cancel();
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a request that waits at an upstream that is ejected goes elsewhere when it gets a slot', async () => {
  let isDead = false;
  const running: ScriptFlow[] = [];
  const dying: Script = () => {
    if (isDead) throw new GatewayError('upstream-failed');
    const flow = new ScriptFlow([[textDelta('x')]], 'hang');
    running.push(flow);
    return flow;
  };
  const upstreams = scriptedUpstreams({ dying: { script: dying, slots: 6 }, spare: { script: answersWith('spare') } });
  const model = modelOf([{ upstream: 'dying' }, { upstream: 'spare', priority: 1 }]);
  const opened = await Promise.all(Array.from({ length: 5 }, () => upstreams.open(model)));
  for (const { flow } of opened) flow.start({ events: () => {}, end: () => {}, fail: () => {} });
  const waiting = Array.from({ length: 20 }, () => upstreams.call(model));
  isDead = true;
  await vi.advanceTimersByTimeAsync(10);
  for (const flow of running) flow.sink?.fail(new GatewayError('upstream-failed'));
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'spare'));
  expect(upstreams.calls.filter(({ upstream }) => upstream === 'dying')).toHaveLength(5);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a credential that refuses a model repeatedly cools down for it while another serves, and comes back', async () => {
  const script: Script = ({ credential }, index) => {
    if (credential === 0 && index < 6) throw refused(429, 7000);
    return spoken(`by ${credential}`);
  };
  const upstreams = scriptedUpstreams({ a: { script, credentials: 2 } });
  const model = modelOf([{ upstream: 'a' }]);
  for (let i = 0; i < 5; i += 1) expect(await upstreams.call(model)).toBe('by 1');
  expect(upstreams.calls.map(({ call }) => call.credential)).toEqual([0, 1, 0, 1, 0, 1, 1, 1]);
  const other = modelOf([{ upstream: 'a', model: 'other' }]);
  expect(await upstreams.call(other)).toBe('by 0');
  await vi.advanceTimersByTimeAsync(7000);
  expect(await upstreams.call(model)).toBe('by 0');
  expect(upstreams.changes).toEqual([]);
});

test.each([429, 503, 529])(
  'a request waits after a %i for as long as the provider requests, and its client sees no error',
  async (status) => {
    const upstreams = scriptedUpstreams({
      a: {
        script: (_call, index) => {
          if (index === 0) throw refused(status, 20_000);
          if (index === 1) throw refused(status);
          return spoken('at last');
        },
      },
    });
    const pending = upstreams.call(modelOf([{ upstream: 'a' }]));
    await vi.advanceTimersByTimeAsync(19_999);
    expect(upstreams.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(upstreams.calls).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await pending).toBe('at last');
    expect(upstreams.attempts.map((attempt) => attempt.status)).toEqual([status, status, 200]);
    expect(upstreams.attempts.map((attempt) => attempt.waitMs)).toEqual([0, 20_000, 1000]);
    expect(upstreams.leftovers()).toEqual(nothingLeft);
  },
);

test('after one refusal only the refused request cools down', async () => {
  const upstreams = scriptedUpstreams({
    a: {
      script: (_call, index) => {
        if (index === 0) throw refused(429, 10_000);
        return spoken('served');
      },
    },
  });
  const model = modelOf([{ upstream: 'a' }]);
  const first = upstreams.call(model);
  await vi.advanceTimersByTimeAsync(10);
  expect(await upstreams.call(model)).toBe('served');
  await vi.advanceTimersByTimeAsync(9000);
  expect(upstreams.calls).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await first).toBe('served');
});

test('a request that arrives while a model cools down waits too, and all requests return in order', async () => {
  const served: number[] = [];
  const upstreams = scriptedUpstreams({
    a: {
      slots: 20,
      script: ({ request }, index) => {
        if (index < 3) throw refused(429, index === 1 ? 12_000 : 10_000);
        served.push(request.maxTokens ?? 0);
        return spoken('served');
      },
    },
  });
  const model = modelOf([{ upstream: 'a' }]);
  const pending: Promise<string>[] = [];
  for (let maxTokens = 1; maxTokens <= 6; maxTokens += 1) {
    pending.push(upstreams.call(model, { maxTokens }));
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(await upstreams.call(modelOf([{ upstream: 'a', model: 'other' }]))).toBe('served');
  served.length = 0;
  await vi.advanceTimersByTimeAsync(11_900);
  expect(upstreams.calls).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(100);
  expect(await Promise.all(pending)).toEqual(Array.from(pending, () => 'served'));
  expect(served).toEqual([1, 2, 3, 4, 5, 6]);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('after a cooldown one request tests the model, and the others wait for its result', async () => {
  const upstreams = scriptedUpstreams({ a: { script: fails(refused(429, 5000)), slots: 20 } }, { waitMaxMs: 19_000 });
  const model = modelOf([{ upstream: 'a' }]);
  const pending = Array.from({ length: 8 }, () => upstreams.call(model).catch(caseOf));
  await vi.advanceTimersByTimeAsync(0);
  const first = upstreams.calls.length;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await Promise.all(pending)).toEqual(pending.map(() => 'overloaded'));
  expect(upstreams.calls.length - first).toBe(3);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a refused request prefers another upstream with a free slot to waiting, of any priority', async () => {
  const upstreams = scriptedUpstreams({ a: { script: fails(refused(429, 60_000)) }, b: { script: answersWith('b') } });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }]);
  for (let i = 0; i < 5; i += 1) expect(await upstreams.call(model)).toBe('b');
  expect(upstreams.calls.map(({ upstream }) => upstream)).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'b', 'b']);
});

test('of several other upstreams, the one with the first priority is called first', async () => {
  for (const draw of [0, 0.3, 0.6, 0.99]) {
    const refusing = { script: fails(refused(429, 60_000)) };
    const upstreams = scriptedUpstreams(
      { a: refusing, late: { script: answersWith('late') }, next: { script: answersWith('next') } },
      { random: () => draw },
    );
    const routes = [{ upstream: 'late', priority: 2 }, { upstream: 'next', priority: 1 }, { upstream: 'a' }];
    expect(await upstreams.call(modelOf(routes))).toBe('next');
  }
});

test('a request that waits for a model that begins to cool down goes to another upstream at once', async () => {
  const running: ScriptFlow[] = [];
  const upstreams = scriptedUpstreams({
    a: {
      slots: 1,
      script: (_call, index) => {
        if (index > 0) throw refused(429, 60_000);
        running.push(new ScriptFlow([[textDelta('x')]], 'hang'));
        return running[0]!;
      },
    },
    b: { script: answersWith('b') },
  });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }]);
  const { flow } = await upstreams.open(model);
  const only = modelOf([{ upstream: 'a' }]);
  const stubborn = Array.from({ length: 3 }, () => upstreams.call(only).catch(caseOf));
  const nimble = Array.from({ length: 3 }, () => upstreams.call(model));
  await vi.advanceTimersByTimeAsync(1000);
  expect(upstreams.calls).toHaveLength(1);
  flow.cancel();
  expect(await Promise.all(nimble)).toEqual(['b', 'b', 'b']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await Promise.all(stubborn)).toEqual(['overloaded', 'overloaded', 'overloaded']);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a refused request waits at every upstream of its model, and takes the first free slot', async () => {
  const talking: Script = () => new ScriptFlow([[textDelta('x')]], 'hang');
  const upstreams = scriptedUpstreams({
    a: { script: fails(refused(429, 30_000)) },
    b: { script: talking, slots: 1 },
  });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }]);
  const first = await upstreams.open(model);
  const second = upstreams.open(model);
  await vi.advanceTimersByTimeAsync(1000);
  expect(upstreams.calls.map(({ upstream }) => upstream)).toEqual(['a', 'b', 'a']);
  first.flow.cancel();
  expect((await second).candidate.route.upstream).toBe('b');
  (await second).flow.cancel();
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a request waits out a local resource shortage, which does not count against the provider', async () => {
  const shortage = new GatewayError('overloaded', { cause: new Error('EMFILE') });
  const script: Script = (_call, index) => {
    if (index < 5) throw shortage;
    return spoken('at last');
  };
  const upstreams = scriptedUpstreams({ a: { script, slots: 2 }, b: { script: answersWith('b') } });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }]);
  expect(await settle(upstreams.call(model))).toBe('at last');
  expect(upstreams.calls.every(({ upstream }) => upstream === 'a')).toBe(true);
  expect(upstreams.changes).toEqual([]);
  expect(upstreams.inUse.report()[0]).toMatchObject({ limit: 2, credentials: [{ state: 'healthy', failures: 0 }] });
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a lasting local shortage ends as overload within seconds, and the slot is free meanwhile', async () => {
  const short: Script = ({ model }) => {
    if (model === 'm') throw new GatewayError('overloaded');
    return spoken('other');
  };
  const upstreams = scriptedUpstreams({ a: { script: short, slots: 1 } });
  const pending = upstreams.call(modelOf([{ upstream: 'a' }])).catch(caseOf);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await upstreams.call(modelOf([{ upstream: 'a', model: 'other' }]))).toBe('other');
  await vi.advanceTimersByTimeAsync(4000);
  expect(await pending).toBe('overloaded');
  expect(upstreams.calls.length).toBeLessThan(10);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a request whose first try failed after 5 s for a local shortage fails at once', async () => {
  const short: Script = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5000));
    throw new GatewayError('overloaded');
  };
  const upstreams = scriptedUpstreams({ a: { script: short } });
  const pending = upstreams.call(modelOf([{ upstream: 'a' }])).catch(caseOf);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await pending).toBe('overloaded');
  expect(upstreams.calls).toHaveLength(1);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a provider that never has capacity ends the wait as overload, never as a refusal', async () => {
  const upstreams = scriptedUpstreams({ a: { script: fails(refused(429, 0)) } }, { waitMaxMs: 5000 });
  expect(await settle(upstreams.call(modelOf([{ upstream: 'a' }])))).toBe('overloaded');
  expect(upstreams.calls.length).toBeLessThan(60);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('a request whose client leaves during a cooldown ends at once', async () => {
  const upstreams = scriptedUpstreams({ a: { script: fails(refused(429, 60_000)) } });
  const model = modelOf([{ upstream: 'a' }]);
  const client = new AbortController();
  const outcomes = [1, 2].map(() => upstreams.open(model, {}, client.signal).catch(String));
  await vi.advanceTimersByTimeAsync(10);
  client.abort(new Error('gone'));
  expect(await Promise.all(outcomes)).toEqual(['Error: gone', 'Error: gone']);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test.each([401, 402, 403])('a %i disables only that credential and reports the change', async (status) => {
  const script: Script = ({ credential }) => {
    if (credential === 0) throw refused(status);
    return spoken('by the other');
  };
  const upstreams = scriptedUpstreams({ a: { script, credentials: 2 } });
  const model = modelOf([{ upstream: 'a' }]);
  for (let i = 0; i < 3; i += 1) expect(await upstreams.call(model)).toBe('by the other');
  expect(upstreams.calls.map(({ call }) => call.credential)).toEqual([0, 1, 1, 1]);
  expect(upstreams.changes).toMatchObject([
    { upstream: 'a', credential: 0, state: 'disabled', error: expect.any(String) },
  ]);
  expect(upstreams.inUse.report()[0]?.credentials.map(({ state }) => state)).toEqual(['disabled', 'healthy']);
});

test('a request tries the last credential of a model once, even if the provider refuses it', async () => {
  const upstreams = scriptedUpstreams({ a: { script: fails(refused(401)) } });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'a', model: 'other' }]);
  for (let i = 0; i < 2; i += 1) expect(await settle(upstreams.call(model))).toBe('upstream-failed');
  expect(upstreams.calls).toHaveLength(2);
  expect(upstreams.changes).toHaveLength(1);
});

test('a refusal of the request itself is final, and the provider counts as healthy', async () => {
  const rejected = new GatewayError('upstream-rejected');
  const upstreams = scriptedUpstreams({ a: { script: fails(rejected) }, b: { script: answersWith('b') } });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }]);
  for (let i = 0; i < 10; i += 1) expect(await settle(upstreams.call(model))).toBe('upstream-rejected');
  expect(upstreams.calls).toHaveLength(10);
  expect(upstreams.changes).toEqual([]);
});

test('an upstream that fails five times in a row is ejected, tried once after 30 s, and comes back', async () => {
  let isBroken = true;
  const script: Script = () => {
    if (isBroken) throw new GatewayError('upstream-failed');
    return spoken('a');
  };
  const upstreams = scriptedUpstreams({ a: { script }, b: { script: answersWith('b') } });
  const model = modelOf([{ upstream: 'a' }, { upstream: 'b', priority: 1 }]);
  const callsOfA = () => upstreams.calls.filter(({ upstream }) => upstream === 'a').length;
  for (let i = 0; i < 20; i += 1) expect(await upstreams.call(model)).toBe('b');
  expect(callsOfA()).toBe(5);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await upstreams.call(model)).toBe('b');
  expect(await upstreams.call(model)).toBe('b');
  expect(callsOfA()).toBe(6);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await upstreams.call(model)).toBe('a');
  expect(upstreams.changes.map(({ state }) => state)).toEqual(['ejected', 'ejected', 'ramping']);
});

test('a request retries a failure at the same upstream twice at most, and a timeout never', async () => {
  const model = modelOf([{ upstream: 'a' }]);
  const failing = scriptedUpstreams({ a: { script: broken } }, { random: () => 0.999 });
  expect(await settle(failing.call(model))).toBe('upstream-failed');
  expect(failing.calls).toHaveLength(3);
  // No other request was ahead of it: the time between the tries is not a wait for a slot.
  expect(failing.attempts.map(({ waitMs }) => waitMs)).toEqual([0, 0, 0]);
  expect(failing.attempts.map(({ pauseMs }) => Math.floor(pauseMs))).toEqual([0, 249, 499]);
  const late = scriptedUpstreams({ a: { script: slow } });
  expect(await settle(late.call(model))).toBe('upstream-timeout');
  expect(late.calls).toHaveLength(1);
  const recovering = scriptedUpstreams({
    a: { script: (call, index) => (index === 0 ? broken(call, 0) : spoken('ok')) },
  });
  expect(await settle(recovering.call(model))).toBe('ok');
});

test('a request gets one free failover and two tries from the retry budget, also with many routes', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const upstreams = scriptedUpstreams(Object.fromEntries(names.map((name) => [name, { script: slow }])));
  const model = modelOf(names.map((upstream) => ({ upstream })));
  expect(await settle(upstreams.call(model))).toBe('upstream-timeout');
  expect(upstreams.calls).toHaveLength(4);
  const spent = scriptedUpstreams(Object.fromEntries(names.map((name) => [name, { script: slow }])));
  while (spent.inUse.budget.take()) expect(spent.inUse.budget.inUse).toBeLessThanOrEqual(3);
  expect(await settle(spent.call(model))).toBe('upstream-timeout');
  expect(spent.calls).toHaveLength(2);
});

test('an ejected upstream that is the last one gets one call per request, without retries', async () => {
  const upstreams = scriptedUpstreams({ a: { script: broken } });
  const model = modelOf([{ upstream: 'a' }]);
  for (let i = 0; i < 2; i += 1) await settle(upstreams.call(model));
  expect(upstreams.inUse.report()[0]?.credentials[0]?.state).toBe('half-open');
  await settle(upstreams.call(model));
  const calls = upstreams.calls.length;
  const pending = [upstreams.call(model), upstreams.call(model)].map((each) => each.catch(caseOf));
  await vi.advanceTimersByTimeAsync(1000);
  expect(await Promise.all(pending)).toEqual(['upstream-failed', 'upstream-failed']);
  expect(upstreams.calls).toHaveLength(calls + 2);
});

test.each([
  ['one upstream', ['a']],
  ['two', ['a', 'b']],
  ['four', ['a', 'b', 'c', 'd']],
])('with %s always failing, a loaded gateway makes few more calls than it gets requests', async (_many, names) => {
  const upstreams = scriptedUpstreams(Object.fromEntries(names.map((name) => [name, { script: broken, slots: 30 }])), {
    // The number of calls is random, because the pauses between the tries are.
    random: seededRandom('failing always', names.length),
  });
  const model = modelOf(names.map((upstream) => ({ upstream })));
  const clients = isDeep ? 500 : 200;
  let requested = 0;
  async function client(): Promise<void> {
    while (requested < clients * 4) {
      requested += 1;
      await upstreams.call(model).catch(caseOf);
    }
  }
  const load = Promise.all(Array.from({ length: clients }, client));
  await vi.advanceTimersByTimeAsync(60_000);
  await load;
  expect(upstreams.calls.length / requested).toBeLessThanOrEqual(1.2);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
});

test('whatever upstreams do, every request ends, no client sees a capacity refusal, and nothing is left over', async () => {
  const outcomes = [
    () => spoken('fine'),
    broken,
    slow,
    fails(refused(429, 500)),
    fails(refused(503)),
    fails(refused(401)),
    fails(new GatewayError('upstream-rejected')),
  ] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(outcomes.length - 1), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(),
      async (scripts, credentials, requests, seed) => {
        const names = scripts.map((_, index) => `u${index}`);
        const upstreams = scriptedUpstreams(
          Object.fromEntries(
            scripts.map((script, index) => [
              `u${index}`,
              {
                credentials,
                slots: 2,
                script: (call, n) => outcomes[script[n % script.length] ?? 0]!(call, n),
              },
            ]),
          ),
          { random: seededRandom(seed), waitMaxMs: 20_000 },
        );
        const model = modelOf(names.map((upstream, priority) => ({ upstream, priority: priority % 2 })));
        const pending = Promise.all(Array.from({ length: requests }, () => upstreams.call(model).catch(caseOf)));
        await vi.advanceTimersByTimeAsync(60_000);
        const ends = await pending;
        for (const end of ends) {
          expect(['fine', 'upstream-failed', 'upstream-timeout', 'upstream-rejected', 'overloaded']).toContain(end);
        }
        expect(upstreams.leftovers()).toEqual(nothingLeft);
      },
    ),
    { numRuns: isDeep ? 60 : 20 },
  );
});
