import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeEach, describe, expect, test } from 'vitest';
import { chatRequest, textMessage } from '../../../../test/call-upstream.ts';
import { textDelta } from '../../../../test/fakes/flows.ts';
import { ChargeError } from '../../../money/billing/ledger/charge-error.ts';
import type { Hold } from '../../../money/billing/wallet/hold.ts';
import { priceOf } from '../../../platform/config/schema/model-price.ts';
import type { UsageBounds } from '../../../money/billing/ledger/cost.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { Bill, isGivenUp } from './bill.ts';
import { UsageMeter } from '../tokens/usage-meter.ts';

let posted: bigint[];
let reasons: (string | undefined)[];
let isVoided: boolean;
let abort: AbortController;
/** The cost that would be charged if the process crashed now. */
let floor: () => bigint;
beforeEach(() => {
  posted = [];
  reasons = [];
  isVoided = false;
  abort = new AbortController();
});

/** A token costs one nano-unit, a cached token a tenth of that. */
const price = { ...priceOf({ input: '0.001', output: '0.001' }), cachedInput: 100n };

const plenty: UsageBounds = { promptTokens: 1e6, outputTokens: 1e6, toolUses: [] };

function bill(
  request: ChatRequest = chatRequest(),
  isDiscardedFree = false,
  postError?: Error,
  more: Partial<ConstructorParameters<typeof Bill>[0]> = {},
): Bill {
  const hold: Hold = {
    amount: 1000n,
    watch: (costSoFar) => void (floor = costSoFar),
    whenLost: () => {},
    widen: () => Promise.resolve(),
    reprice: () => {},
    post: async (cost, reason) => {
      posted.push(cost);
      reasons.push(reason);
      if (postError) throw postError;
    },
    void: () => void (isVoided = true),
  };
  const usageMeter = new UsageMeter(request, (texts) =>
    Promise.resolve({ tokens: texts.map((text) => text.length), source: 'counted' }),
  );
  const isAborted = () => isGivenUp(abort.signal);
  return new Bill({ usageMeter, price, hold, maxUsage: plenty, isGivenUp: isAborted, isDiscardedFree, ...more });
}

function earlyUsage(promptTokens: number, cachedTokens?: number): StreamEvent {
  const usage = { ...unreportedUsage, promptTokens, completionTokens: 1, cachedTokens, source: 'upstream' as const };
  return { type: 'usage-so-far', usage };
}

describe('a request aborted while a provider works on it', () => {
  test('is charged the prompt usage that the provider reported', async () => {
    const one = bill();
    one.sent();
    one.receivedEarly([earlyUsage(500)]);
    abort.abort();
    const receipt = await one.settle();
    expect([receipt?.cost, receipt?.usage.completionTokens, posted]).toEqual([500n, 0, [500n]]);
    expect(receipt?.notes).toEqual(['aborted before the first content: the prompt was charged']);
  });

  test('is charged the prompt as the gateway counts it if the provider reported nothing', async () => {
    const one = bill(chatRequest({ messages: [textMessage('user', 'x'.repeat(95))] }));
    one.sent();
    abort.abort();
    const receipt = await one.settle();
    expect([receipt?.usage.source, posted]).toEqual(['counted', [100n]]);
  });

  test('costs nothing if it was never sent, or if the call came to nothing', async () => {
    const [unsent, undone] = [bill(), bill()];
    undone.sent();
    undone.receivedEarly([earlyUsage(500)]);
    undone.undone();
    abort.abort();
    expect([await unsent.settle(), await undone.settle(), posted, isVoided]).toEqual([undefined, undefined, [], true]);
  });
});

test('a request that its provider failed costs nothing, even if prompt usage was reported', async () => {
  const one = bill();
  one.sent();
  one.receivedEarly([earlyUsage(500)]);
  expect([await one.settle(), posted, isVoided]).toEqual([undefined, [], true]);
});

describe('the cost charged after a crash', () => {
  test('is nothing before the request is sent, and nothing again when the call came to nothing', () => {
    const one = bill(chatRequest({ messages: [textMessage('user', 'A few words to read. '.repeat(50))] }));
    expect(floor()).toBe(0n);
    one.sent();
    expect(floor()).toBeGreaterThan(0n);
    one.undone();
    expect(floor()).toBe(0n);
  });

  test('is the prompt usage that the provider reported, with cached tokens at their own price', () => {
    const one = bill();
    one.sent();
    one.receivedEarly([earlyUsage(500, 400)]);
    expect(floor()).toBe(140n);
  });

  test('never exceeds the tokens received, in any split into pieces', () => {
    const words = fc.array(
      fc.constantFrom('the', ' gateway', ' 人工智能', '====', '    ', '{"a":', '\n', ' αβγ', '!!'),
      {
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 12 }), (parts, size) => {
        const text = parts.join('');
        const one = bill(chatRequest({ messages: [textMessage('user', '')] }));
        one.begin();
        for (let at = 0; at < text.length; at += size) one.usageMeter.measure([textDelta(text.slice(at, at + size))]);
        expect(floor()).toBeLessThanOrEqual(BigInt(countTokens(text)));
      }),
    );
  });

  test('never exceeds the tokens of the prompt', () => {
    const text = `${' '.repeat(5000)}${'='.repeat(5000)}${'A prompt of some words and of much that is none. '.repeat(30)}`;
    const one = bill(chatRequest({ messages: [textMessage('user', text)] }));
    one.sent();
    expect(floor()).toBeGreaterThan(0n);
    expect(floor()).toBeLessThanOrEqual(BigInt(countTokens(text)));
  });
});

describe('a discarded answer', () => {
  const used = (promptTokens: number, completionTokens: number): StreamEvent => {
    return { type: 'usage', usage: { ...unreportedUsage, promptTokens, completionTokens, source: 'upstream' } };
  };
  const next = chatRequest({ messages: [textMessage('user', 'Once more.')] });
  const receive = (one: Bill, ...events: StreamEvent[]): void => {
    one.begin();
    one.usageMeter.measure(events);
  };

  test('is charged once, together with the answer that replaces it', async () => {
    const one = bill();
    receive(one, textDelta('No.'), used(100, 20));
    expect([await one.discard(next, plenty), one.discardedCost, floor(), one.isSent]).toEqual([
      true,
      120n,
      120n,
      false,
    ]);
    receive(one, textDelta('No!'), used(110, 20));
    await one.discard(next, plenty);
    expect(one.discardedCost).toBe(250n);
    receive(one, textDelta('Yes.'), used(120, 30));
    const receipt = await one.settle();
    expect([receipt?.cost, receipt?.usage.promptTokens, receipt?.usage.completionTokens]).toEqual([400n, 330, 70]);
    expect([posted, reasons]).toEqual([[400n], ['request; discarded answers: 2, paid by the account']]);
  });

  test('is charged alone if no answer replaces it', async () => {
    const one = bill();
    receive(one, textDelta('No.'), used(100, 20));
    await one.discard(next, plenty);
    expect([(await one.settle())?.cost, posted, isVoided]).toEqual([120n, [120n], false]);
  });

  test('is charged together with the prompt of an aborted re-prompt', async () => {
    const one = bill();
    receive(one, textDelta('No.'), used(100, 20));
    await one.discard(next, plenty);
    one.sent();
    one.receivedEarly([earlyUsage(500)]);
    abort.abort();
    expect([(await one.settle())?.cost, posted]).toEqual([620n, [620n]]);
  });

  test('is paid by the operator if the model is configured so', async () => {
    const [kept, lost] = [bill(undefined, true), bill(undefined, true)];
    receive(kept, textDelta('No.'), used(100, 20));
    await kept.discard(next, plenty);
    expect(kept.discardedCost).toBe(0n);
    receive(kept, textDelta('Yes.'), used(120, 30));
    await kept.settle();
    expect([posted, reasons]).toEqual([[150n], ['request; discarded answers: 1, paid by the gateway']]);
    receive(lost, textDelta('No.'), used(100, 20));
    await lost.discard(next, plenty);
    expect([await lost.settle(), posted.length, isVoided]).toEqual([undefined, 1, true]);
  });

  test('cannot be discarded after it was charged', async () => {
    const one = bill();
    receive(one, textDelta('No.'), used(100, 20));
    const settled = one.settle();
    expect([await one.discard(next, plenty), (await settled)?.cost, posted]).toEqual([false, 120n, [120n]]);
  });

  test('is still charged when the answer that replaces it is forgotten', async () => {
    const one = bill();
    receive(one, textDelta('No.'), used(100, 20));
    await one.discard(next, plenty);
    receive(one, textDelta('Ye'));
    one.forget(next);
    await one.settle();
    expect(posted).toEqual([120n]);
  });
});

test('the receipt of a partly charged answer is kept although the client receives an error', async () => {
  const one = bill(chatRequest(), false, new ChargeError('insufficient-balance', { detail: 'gone', uncharged: 3n }));
  one.begin();
  one.usageMeter.measure([
    textDelta('hi'),
    { type: 'usage', usage: { ...unreportedUsage, promptTokens: 4, completionTokens: 6, source: 'upstream' } },
  ]);
  await expect(one.settle()).rejects.toMatchObject({ case: 'insufficient-balance' });
  expect(one.partialReceipt).toMatchObject({ cost: 7n, usage: { promptTokens: 4, completionTokens: 6 } });
});

test('an answer that is not charged at all has no receipt', async () => {
  const one = bill(chatRequest(), false, new Error('a rule was broken'));
  one.begin();
  one.usageMeter.measure([textDelta('hi')]);
  await expect(one.settle()).rejects.toThrow('a rule was broken');
  expect(one.partialReceipt).toBeUndefined();
});

test('each answer has the price of the moment at which its request was sent, and so have its calls', async () => {
  const tiers = [{ when: { from: '08:00' }, factor: '2' }];
  let at = Date.UTC(2026, 10, 19, 7, 59);
  const peak = priceOf({ input: '0.001', output: '0.001', tiers });
  const one = bill(undefined, false, undefined, { price: peak, now: () => at });
  const answer = (promptTokens: number, more: object = {}): StreamEvent[] => {
    const usage = { ...unreportedUsage, promptTokens, completionTokens: 0, source: 'upstream' as const, ...more };
    return [textDelta('x'), { type: 'usage', usage }];
  };
  one.sent();
  one.begin();
  one.measure(answer(100));
  at += 60_000;
  expect(await one.discard(chatRequest(), plenty)).toBe(true);
  one.sent();
  one.begin();
  at += 24 * 3_600_000 - 120_000;
  const call = { ...unreportedUsage, promptTokens: 30, completionTokens: 0, model: undefined };
  one.measure(
    answer(30, {
      parts: [
        { ...call, kind: 'message' },
        { ...call, kind: 'compaction' },
      ],
    }),
  );
  expect((await one.settle())?.cost).toBe(100n + 2n * 60n);
});

test('the charge does not wait until ids are remembered, the end of the answer does', async () => {
  const remembering = Promise.withResolvers<void>();
  const ids: (readonly string[])[] = [];
  const remember = (stored: readonly string[]): Promise<void> => {
    ids.push(stored);
    return remembering.promise;
  };
  const one = bill(undefined, false, undefined, { remember });
  one.sent();
  one.begin();
  one.answeredBy({ upstream: 'claude', credential: 0 });
  const usage = { ...unreportedUsage, promptTokens: 4, completionTokens: 6, source: 'upstream' as const };
  one.measure([textDelta('hi'), { type: 'usage', usage: { ...usage, stored: ['container_1'] } }]);
  let isSettled = false;
  const settled = one.settle().then(() => void (isSettled = true));
  await expect.poll(() => posted).toEqual([10n]);
  expect([ids, isSettled]).toEqual([[['container_1']], false]);
  remembering.resolve();
  await settled;
});

test('discarded calls that cost more than the hold are charged up to it', async () => {
  const one = bill();
  const part = { ...unreportedUsage, promptTokens: 5000, completionTokens: 0, kind: 'compaction', model: undefined };
  const usage = { ...unreportedUsage, promptTokens: 1, completionTokens: 1, source: 'upstream' as const };
  one.begin();
  one.measure([textDelta('No.'), { type: 'usage', usage: { ...usage, parts: [part] } }]);
  await one.discard(chatRequest(), plenty);
  expect([(await one.settle())?.cost, posted]).toEqual([1000n, [1000n]]);
});
