import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chunk, finish, usage } from '../fake-replies.ts';

/** A provider that counts the calls it has at once, from whichever gateway they come, and keeps a journal of them. */
export interface CountingProvider {
  readonly port: number;
  readonly inFlight: number;
  /** The most it ever had at once. */
  readonly most: number;
  /** The same of the calls that one account, or key, has there. */
  inFlightOf(name: string): number;
  /** Since so many turns had been given, or ever. */
  mostOf(name: string, sinceTurn?: number): number;
  /** Every call in the order it came, by the text of its prompt: the account's name. A call is a turn. */
  readonly turns: readonly string[];
  /** How many answers it told to their end. */
  readonly finished: number;
  /** Each answer takes about so long. */
  serviceMs: number;
  /** No answer ends before this has resolved, asked for when its time is over. */
  pace: (() => Promise<unknown>) | undefined;
  /** Answers that begin from now on end only after the function that this returns was called. */
  hold(): () => void;
  close(): void;
}

export async function countingProvider(serviceMs: number): Promise<CountingProvider> {
  const turns: string[] = [];
  const calls = new Map<string, { inFlight: number; readonly levels: Level[] }>();
  const state = { inFlight: 0, most: 0, finished: 0, serviceMs };
  let pace: CountingProvider['pace'];
  let held: Promise<void> | undefined;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    state.inFlight += 1;
    state.most = Math.max(state.most, state.inFlight);
    response.once('close', () => (state.inFlight -= 1));
    const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
    const name = messages.at(-1)!.content;
    turns.push(name);
    const own = calls.get(name) ?? { inFlight: 0, levels: [] };
    calls.set(name, own);
    const isHeld = held;
    const takesMs = state.serviceMs * partOf(turns.length);
    if (!response.destroyed) {
      own.inFlight += 1;
      own.levels.push({ turn: turns.length, inFlight: own.inFlight });
      response.once('close', () => (own.inFlight -= 1));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(chunk({ content: 'word' }))}\n\n`);
    await (isHeld ?? delay(takesMs));
    await pace?.();
    if (!response.destroyed) state.finished += 1;
    for (const event of [finish('stop'), usage(10, 10)]) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end('data: [DONE]\n\n');
  }
  // A gateway that is killed in the middle of its request has none.
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
    inFlightOf: (name) => calls.get(name)?.inFlight ?? 0,
    mostOf: (name, sinceTurn = 0) =>
      (calls.get(name)?.levels ?? [])
        .filter(({ turn }) => turn >= sinceTurn)
        .reduce((most, { inFlight }) => Math.max(most, inFlight), 0),
    turns,
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

/** How many calls of one account, or key, there were at once from a turn on. */
interface Level {
  readonly turn: number;
  readonly inFlight: number;
}

/** Between half and one and a half, and evenly so over any few turns: no run has longer answers than another by chance. */
function partOf(turn: number): number {
  return 0.5 + ((turn * 0.618_033_988_75) % 1);
}
