import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { TestGateway } from './gateways/gateway.ts';

/** A text whose estimate is twice its count, and its count as the only message of a prompt. */
export const twiceEstimated = { content: 'a'.repeat(400), tokens: 52 };

/** Waits until the gateway has loaded its vocabulary. Before that, it may estimate tokens instead of counting them. */
export async function countsTokens(gateway: Pick<TestGateway, 'key' | 'post'>, model = 'other'): Promise<void> {
  const body = { model, messages: [{ role: 'user', content: twiceEstimated.content }] };
  await eventually(async () => {
    const reply = await gateway.post('/anthropic/v1/messages/count_tokens', body, { 'x-api-key': gateway.key });
    expect(reply.json, 'the gateway estimates tokens instead of counting them').toEqual({
      input_tokens: twiceEstimated.tokens,
    });
  });
}
