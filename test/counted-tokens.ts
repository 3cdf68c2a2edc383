import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestGateway } from './gateway.ts';

/** A text whose estimate is twice its count, and what it counts as a prompt of its own. */
export const twiceEstimated = { content: 'a'.repeat(400), tokens: 52 };

/** Waits until the gateway has loaded its vocabulary: before that it may have to estimate what it is asked to count. */
export async function countsTokens(gateway: Pick<TestGateway, 'key' | 'post'>, model = 'other'): Promise<void> {
  const body = { model, messages: [{ role: 'user', content: twiceEstimated.content }] };
  await eventually(async () => {
    const reply = await gateway.post('/anthropic/v1/messages/count_tokens', body, { 'x-api-key': gateway.key });
    expect(reply.json, 'the gateway estimates tokens instead of counting them').toEqual({
      input_tokens: twiceEstimated.tokens,
    });
  });
}
