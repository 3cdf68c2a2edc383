import { expect, test } from 'vitest';
import { HandFlow, KeepingSink, textDelta } from '../../test/flows.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { HeldTurn } from './held-turn.ts';

const visitor = { accountId: 'a', keyId: 'k', weight: 1, cost: 999, bytes: 400 };

function fixture() {
  const left: (number | undefined)[] = [];
  const source = new HandFlow();
  const turn = {
    waitMs: 0,
    position: 0,
    leave: (cost?: number) => void left.push(cost),
    again: () => Promise.reject(new Error('unused')),
  };
  const flow = new HeldTurn(source, turn, visitor);
  flow.start(new KeepingSink());
  return { left, source, flow };
}

const usage: StreamEvent = {
  type: 'usage',
  usage: {
    promptTokens: 50,
    completionTokens: 10,
    cachedTokens: undefined,
    cacheWrite5mTokens: undefined,
    cacheWrite1hTokens: undefined,
    reasoningTokens: undefined,
    promptAudioTokens: undefined,
    promptImageTokens: undefined,
    completionAudioTokens: undefined,
    source: 'upstream',
  },
};

test('an answer that ends pays what the provider says it used', () => {
  const { left, source } = fixture();
  source.sink?.events([textDelta('one'), usage]);
  expect(left).toEqual([]);
  source.sink?.end();
  expect(left).toEqual([50 + 4 * 10]);
});

test('an answer that is given up pays for its prompt and what came of it', () => {
  const { left, source, flow } = fixture();
  source.sink?.events([textDelta('one'), textDelta('two')]);
  flow.cancel();
  source.sink?.fail(new Error('late'));
  expect(left).toEqual([100 + 4 * 2]);
});
