import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from '../../test/crash/random.ts';

/**
 * A provider in this process. The duration of an answer is proportional to its length, and the answer reports its
 * usage.
 */
export interface LiveUpstream {
  readonly port: number;
  /** All answers that were begun. */
  readonly answers: readonly LiveAnswer[];
  close(): void;
}

/** With all its tokens, as if it was answered to the end. */
export interface LiveAnswer {
  readonly tokens: number;
}

export const meanServiceMs = 200;
const msPerToken = 4;
const promptTokens = 10;

/** With `slots`, a request that is one too many is refused with 429. */
export async function liveUpstream({
  slots = Number.POSITIVE_INFINITY,
  serviceMs = meanServiceMs,
} = {}): Promise<LiveUpstream> {
  const random = seededRandom('live upstream');
  const answers: LiveAnswer[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (open >= slots) {
        response.writeHead(429, { 'content-type': 'application/json' }).end(refusal);
        return;
      }
      open += 1;
      const durationMs = serviceMs * (0.25 + 1.5 * random());
      const completionTokens = Math.round(durationMs / msPerToken);
      answers.push({ tokens: promptTokens + completionTokens });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame({ choices: [{ index: 0, delta: { role: 'assistant', content: 'first' } }] }));
      const timer = setTimeout(() => response.end(closing(completionTokens)), durationMs);
      response.on('close', () => {
        open -= 1;
        clearTimeout(timer);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const refusal = JSON.stringify({
  error: { message: 'Too many requests at once.', type: 'rate_limit_error', code: '429' },
});

function closing(completionTokens: number): string {
  const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const total = promptTokens + completionTokens;
  const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total };
  return `${frame(finish)}${frame({ choices: [], usage })}data: [DONE]\n\n`;
}

function frame(value: object): string {
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'live', ...value })}\n\n`;
}
