import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chunk, finish, usage } from '../fakes/fake-replies.ts';

/** A provider that counts concurrent calls over all gateways, and logs them. */
export interface CountingProvider {
  readonly port: number;
  readonly inFlight: number;
  /** The maximum of concurrent calls. */
  readonly most: number;
  /** The concurrent calls of one account or key. */
  inFlightOf(name: string): number;
  /** The maximum for one account or key, since call number `sinceCall`. */
  mostOf(name: string, sinceCall?: number): number;
  /** When calls of this name began while another of it ran, by `performance.now()`. */
  overlapsOf(name: string): readonly number[];
  /** All calls in their order, by the text of the prompt, which is the name of the account or key. */
  readonly callLog: readonly string[];
  /** The number of completed answers. */
  readonly finished: number;
  /** The approximate duration of an answer. */
  serviceMs: number;
  /** Called at the end of each answer. The answer ends when the returned promise has resolved. */
  pace: (() => Promise<unknown>) | undefined;
  /** Answers that begin from now on end only after the test calls the returned function. */
  hold(): () => void;
  close(): void;
}

export async function countingProvider(serviceMs: number): Promise<CountingProvider> {
  const callLog: string[] = [];
  const byName = new Map<string, { inFlight: number; readonly levels: Level[] }>();
  const state = { inFlight: 0, most: 0, finished: 0, serviceMs };
  let pace: CountingProvider['pace'];
  let held: Promise<void> | undefined;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    state.inFlight += 1;
    state.most = Math.max(state.most, state.inFlight);
    response.once('close', () => (state.inFlight -= 1));
    const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
    const name = messages.at(-1)!.content;
    callLog.push(name);
    const own = byName.get(name) ?? { inFlight: 0, levels: [] };
    byName.set(name, own);
    const released = held;
    const takesMs = state.serviceMs * durationFactor(callLog.length);
    if (!response.destroyed) {
      own.inFlight += 1;
      own.levels.push({ call: callLog.length, inFlight: own.inFlight, ms: performance.now() });
      response.once('close', () => (own.inFlight -= 1));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(chunk({ content: 'word' }))}\n\n`);
    await (released ?? delay(takesMs));
    await pace?.();
    if (!response.destroyed) state.finished += 1;
    for (const event of [finish('stop'), usage(10, 10)]) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end('data: [DONE]\n\n');
  }
  // If a gateway is killed in the middle of its request, the body is incomplete.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get inFlight() {
      return state.inFlight;
    },
    get most() {
      return state.most;
    },
    inFlightOf: (name) => byName.get(name)?.inFlight ?? 0,
    mostOf: (name, sinceCall = 0) =>
      (byName.get(name)?.levels ?? [])
        .filter(({ call }) => call >= sinceCall)
        .reduce((most, { inFlight }) => Math.max(most, inFlight), 0),
    overlapsOf: (name) => (byName.get(name)?.levels ?? []).filter(({ inFlight }) => inFlight > 1).map(({ ms }) => ms),
    callLog,
    get finished() {
      return state.finished;
    },
    get serviceMs() {
      return state.serviceMs;
    },
    set serviceMs(ms) {
      state.serviceMs = ms;
    },
    get pace() {
      return pace;
    },
    set pace(next) {
      pace = next;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The concurrent calls of one account or key, from this call on. */
interface Level {
  readonly call: number;
  readonly inFlight: number;
  readonly ms: number;
}

/** A factor between 0.5 and 1.5, evenly spread over any few calls: no run has longer answers than another by chance. */
function durationFactor(call: number): number {
  return 0.5 + ((call * 0.618_033_988_75) % 1);
}
