import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeEach, describe, expect, test } from 'vitest';
import { chatRequest, said } from '../../test/ask-upstream.ts';
import { textDelta } from '../../test/flows.ts';
import type { Hold } from '../billing/hold.ts';
import { priceOf } from '../config/model-price.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { unsaidUsage } from '../core/usage.ts';
import { Bill, isGivenUp } from './bill.ts';
import { Tally } from './tally.ts';

let posted: bigint[];
let isVoid: boolean;
let leaving: AbortController;
/** What a crash would be charged now. */
let floor: () => bigint;
beforeEach(() => {
  posted = [];
  isVoid = false;
  leaving = new AbortController();
});

/** A token costs one nano-unit, one from the cache a tenth of it. */
const price = { ...priceOf({ input: '0.001', output: '0.001' }), cachedInput: 100n };

function bill(request: ChatRequest = chatRequest()): Bill {
  const hold: Hold = {
    amount: 1000n,
    watch: (costSoFar) => void (floor = costSoFar),
    whenLost: () => {},
    widen: () => Promise.resolve(),
    reprice: () => {},
    post: async (cost) => void posted.push(cost),
    void: () => void (isVoid = true),
  };
  const tally = new Tally(request, (texts) => Promise.resolve(texts.map((text) => text.length)));
  return new Bill({ tally, price, hold, contextWindow: undefined, isGivenUp: () => isGivenUp(leaving.signal) });
}

function toldEarly(promptTokens: number, cachedTokens?: number): StreamEvent {
  const usage = { ...unsaidUsage, promptTokens, completionTokens: 1, cachedTokens, source: 'upstream' as const };
  return { type: 'usage-so-far', usage };
}

describe('given up while a provider was at work', () => {
  test('a request is charged what the provider has said of its prompt', async () => {
    const one = bill();
    one.sent();
    one.heardEarly([toldEarly(500)]);
    leaving.abort();
    const receipt = await one.settle();
    expect([receipt?.cost, receipt?.usage.completionTokens, posted]).toEqual([500n, 0, [500n]]);
    expect(receipt?.notes).toEqual(['given up before the first content: the prompt was charged']);
  });

  test('a request is charged its prompt as we count it where the provider has said nothing', async () => {
    const one = bill(chatRequest({ messages: [said('user', 'x'.repeat(95))] }));
    one.sent();
    leaving.abort();
    const receipt = await one.settle();
    expect([receipt?.usage.source, posted]).toEqual(['counted', [100n]]);
  });

  test('a request costs nothing that was never sent, or came back undone', async () => {
    const [unsent, undone] = [bill(), bill()];
    undone.sent();
    undone.heardEarly([toldEarly(500)]);
    undone.undone();
    leaving.abort();
    expect([await unsent.settle(), await undone.settle(), posted, isVoid]).toEqual([undefined, undefined, [], true]);
  });
});

test('a request that failed by its provider costs nothing, whatever was said of its prompt', async () => {
  const one = bill();
  one.sent();
  one.heardEarly([toldEarly(500)]);
  expect([await one.settle(), posted, isVoid]).toEqual([undefined, [], true]);
});

describe('what a crash is charged', () => {
  test('is nothing before the request is sent, and nothing again when the call came to nothing', () => {
    const one = bill(chatRequest({ messages: [said('user', 'A few words to read. '.repeat(50))] }));
    expect(floor()).toBe(0n);
    one.sent();
    expect(floor()).toBeGreaterThan(0n);
    one.undone();
    expect(floor()).toBe(0n);
  });

  test('is what the provider has said of the prompt, cached parts at their price', () => {
    const one = bill();
    one.sent();
    one.heardEarly([toldEarly(500, 400)]);
    expect(floor()).toBe(140n);
  });

  test('is never more than the tokens that came, in whatever pieces they came', () => {
    const words = fc.array(
      fc.constantFrom('the', ' gateway', ' 人工智能', '====', '    ', '{"a":', '\n', ' αβγ', '!!'),
      {
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 12 }), (parts, size) => {
        const text = parts.join('');
        const one = bill(chatRequest({ messages: [said('user', '')] }));
        one.begin();
        for (let at = 0; at < text.length; at += size) one.tally.see([textDelta(text.slice(at, at + size))]);
        expect(floor()).toBeLessThanOrEqual(BigInt(countTokens(text)));
      }),
    );
  });

  test('a prompt is never taken for more than its tokens', () => {
    const text = `${' '.repeat(5000)}${'='.repeat(5000)}${'A prompt of some words and of much that is none. '.repeat(30)}`;
    const one = bill(chatRequest({ messages: [said('user', text)] }));
    one.sent();
    expect(floor()).toBeGreaterThan(0n);
    expect(floor()).toBeLessThanOrEqual(BigInt(countTokens(text)));
  });
});
