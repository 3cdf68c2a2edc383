import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { chunk, finish, usage } from './fake-provider.ts';

/** A provider that counts the answers that run at the same time, over all processes. */
export interface CountingProvider {
  readonly url: string;
  /** The number of running answers. */
  readonly running: number;
  /** The most that ever ran at once. */
  readonly peak: number;
  /** The number of completed answers. */
  readonly finished: number;
  /** Answers that begin from now on do not end before the test calls the returned function. */
  hold(): () => void;
  close(): Promise<void>;
}

/** The duration of each answer, so that some are always running. */
const answerMs = 20;

export async function countingProvider(): Promise<CountingProvider> {
  let running = 0;
  let peak = 0;
  let finished = 0;
  let held: Promise<void> | undefined;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      running += 1;
      peak = Math.max(peak, running);
      // For the client, an answer ends with the connection, a moment before the response closes here.
      const { socket } = request;
      let isOver = false;
      const over = (): void => {
        socket.off('end', over);
        if (!isOver) running -= 1;
        isOver = true;
      };
      socket.once('end', over);
      response.on('close', over);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame(chunk({ role: 'assistant', content: 'one' })));
      void Promise.all([delay(answerMs), held]).then(() => {
        if (response.destroyed) return;
        finished += 1;
        response.end([finish('stop'), usage(1, 1), '[DONE]'].map(frame).join(''));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get running() {
      return running;
    },
    get peak() {
      return peak;
    },
    get finished() {
      return finished;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function frame(event: unknown): string {
  return `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
}
