import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { systemClock } from '../../core/time/clock.ts';
import { openBridgeAnswer } from './bridge-answer.ts';
import { BridgeHttp } from './bridge-http.ts';
import { bridgeKind } from './kinds.ts';
import { PartDecoder } from './part-decoder.ts';

const timeouts = { firstEvent: 600_000, idle: 600_000, total: 600_000 };
const addressee = { upstream: 'cloud', clock: systemClock, redact: (text: string) => text };

function parts() {
  const http = new BridgeHttp({
    ...addressee,
    userAgent: 'test',
    connectTimeoutMs: 600_000,
    guard: undefined,
    lookup: undefined,
    onShortage: undefined,
  });
  return { ...addressee, timeouts, network: http.call(), decoder: new PartDecoder(bridgeKind('cohere')!, () => 'id') };
}

const refused = { case: 'upstream-failed' };

test('a package whose stream cannot be read fails only its own call', async () => {
  const stream = new ReadableStream<LanguageModelV4StreamPart>();
  stream.getReader();
  const answer = openBridgeAnswer(() => Promise.resolve({ stream }), parts(), new AbortController().signal);
  await expect(answer).rejects.toMatchObject(refused);
});

test('a package that throws before its request fails only its own call', async () => {
  const call = () => {
    throw new Error('not like this');
  };
  await expect(openBridgeAnswer(call, parts(), new AbortController().signal)).rejects.toMatchObject(refused);
});
