import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from '../../test/crash/random.ts';

/**
 * A provider in this process. The duration of an answer is proportional to its length, and the answer reports its
 * usage.
 */
export interface LiveUpstream {
  readonly url: string;
  close(): void;
}

export const meanServiceMs = 200;
const msPerToken = 4;

export async function liveUpstream(): Promise<LiveUpstream> {
  const random = seededRandom('live upstream');
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const serviceMs = meanServiceMs * (0.25 + 1.5 * random());
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame({ choices: [{ index: 0, delta: { role: 'assistant', content: 'first' } }] }));
      const timer = setTimeout(() => response.end(closing(Math.round(serviceMs / msPerToken))), serviceMs);
      response.on('close', () => clearTimeout(timer));
    });
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function closing(completionTokens: number): string {
  const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const usage = { prompt_tokens: 10, completion_tokens: completionTokens, total_tokens: 10 + completionTokens };
  return `${frame(finish)}${frame({ choices: [], usage })}data: [DONE]\n\n`;
}

function frame(value: object): string {
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'live', ...value })}\n\n`;
}
