import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { CuttingGate } from './cutting-gate.ts';

const finish: StreamEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const cutOff: StreamEvent = { type: 'finish', choice: 0, reason: 'length', raw: 'length' };

function openGate(maxTokens: number, choices = 1) {
  const provider = new ManualFlow();
  const client = new CollectingSink();
  const outcomes: unknown[] = [];
  const report = (...outcome: unknown[]): void => void outcomes.push(outcome);
  new CuttingGate(provider, { maxTokens, choices, report }).start(client);
  const emit = (...batch: StreamEvent[]): void => provider.sink?.events(batch);
  const text = (choice = 0) =>
    client.batches
      .flat()
      .reduce((sum, event) => sum + (event.type === 'text-delta' && event.choice === choice ? event.text : ''), '');
  return { provider, client, emit, text, outcomes };
}

/** Reference implementation: eight letters or four wide characters count as one token, and 64 letters are free. */
function capped(text: string, maxTokens: number): string {
  let units = 0;
  for (const [at, character] of text.split('').entries()) {
    if (character === text[at - 1]) continue;
    units += character >= '\u2e80' ? 2 : 1;
    if (units > maxTokens * 8 + 64) return text.slice(0, at);
  }
  return text;
}

test('an answer in any pieces is cut where the reference implementation cuts it', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '好', '的', ' '), maxLength: 30 }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 12 }), (pieces, maxTokens) => {
      const { emit, text, client, provider } = openGate(maxTokens);
      for (const piece of pieces) emit(textDelta(piece));
      if (!provider.isCancelled) emit(finish);
      const whole = pieces.join('');
      const isCut = capped(whole, maxTokens) !== whole;
      expect([text(), provider.isCancelled]).toEqual([capped(whole, maxTokens), isCut]);
      expect(client.batches.flat().at(-1)).toEqual(isCut ? cutOff : finish);
    }),
  );
});

test.each([
  [
    'English',
    'The weather in the mountains changes within minutes, so experienced walkers carry waterproof clothing. ',
  ],
  ['long words', ' internationalization characteristically responsibilities'],
  ['Chinese', '山里的天气几分钟之内就会变化，所以有经验的登山者总是带着防水的衣服。'],
  [
    'code',
    'export function* tokenPieces(text: string): Generator<string> {\n        yield text.slice(start, end);\n}\n',
  ],
])('an answer within its cap is not cut: %s', (name, text) => {
  // Real prose has at most one line of very long words.
  for (const times of name === 'long words' ? [1, 3] : [1, 20]) {
    const whole = text.repeat(times);
    expect(capped(whole, countTokens(whole))).toBe(whole);
  }
});

test('reasoning and calls also count, and a call is cut off with its answer', () => {
  const { emit, client, provider } = openGate(1);
  const reasoning: StreamEvent = { type: 'reasoning-delta', choice: 0, text: 'ab'.repeat(30) };
  const call: StreamEvent = { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'find' };
  emit(reasoning, call, { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"where":"anywhere"}' });
  const cut = { type: 'tool-call-delta', choice: 0, call: 0, arguments: '{"where"' };
  expect(client.batches.flat()).toEqual([reasoning, call, cut, cutOff]);
  expect([client.endings, provider.isCancelled]).toEqual([['end'], true]);
});

test('each choice has its own cap, and the provider is cancelled after the last one ended', () => {
  const { emit, text, provider } = openGate(1, 2);
  emit(textDelta('ab'.repeat(50), 0), textDelta('short', 1));
  expect([text(0).length, provider.isCancelled]).toEqual([72, false]);
  emit(textDelta('ab'.repeat(50), 0), textDelta('ab'.repeat(50), 1));
  expect([text(0).length, text(1).length, provider.isCancelled]).toEqual([72, 72, true]);
});

test('the outcome is reported once, when the answer is over', () => {
  const [kept, cut, some, broken] = [openGate(5), openGate(5), openGate(5, 2), openGate(5)];
  const long = 'A word and another. '.repeat(20);
  kept.emit(textDelta('Short.'), finish);
  kept.provider.sink?.end();
  cut.emit(textDelta(long));
  some.emit(textDelta(long), textDelta('Short.', 1), { ...finish, choice: 1 });
  expect(some.outcomes).toEqual([]);
  some.provider.sink?.end();
  broken.emit(textDelta('Short.'));
  broken.provider.sink?.fail(new Error('gone'));
  const [isKept, isRepaired] = [[['max_tokens', 'met']], [['max_tokens', 'repaired']]];
  expect([kept.outcomes, cut.outcomes, some.outcomes, broken.outcomes]).toEqual([isKept, isRepaired, isRepaired, []]);
});
