import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadAddress } from '../load-order.ts';

/** Streams that send a request, read the answer to its end, pause and repeat, until they are stopped. */
export interface LiveClients {
  /** The outcomes so far, in the order of the groups. */
  readonly outcomes: readonly (readonly LiveOutcome[])[];
  stop(): Promise<void>;
}

export interface LiveOutcome {
  /** 0 if there was no reply, or if it broke off. */
  readonly status: number;
  /** The answer arrived with its end mark. */
  readonly isAnswered: boolean;
  /** The tokens by the usage that the answer reports. */
  readonly tokens: number;
  /** From the first attempt to the first bytes of the answer. A refused request is repeated, so it counts from there. */
  readonly firstTokenMs: number;
}

/** The streams of one key. */
export interface StreamGroup {
  readonly to: LoadAddress;
  readonly streams: number;
  readonly pauseMs: number;
}

export function liveClients(groups: readonly StreamGroup[]): LiveClients {
  const agent = new Agent({ keepAlive: true });
  const over = new AbortController();
  const client = async ({ to, pauseMs }: StreamGroup, outcomes: LiveOutcome[]): Promise<void> => {
    let attemptedMs = performance.now();
    while (!over.signal.aborted) {
      const { firstBytesMs, ...reply } = await send(agent, to);
      outcomes.push({ ...reply, firstTokenMs: firstBytesMs - attemptedMs });
      if (pauseMs > 0) await delay(pauseMs * (0.5 + Math.random()), undefined, { signal: over.signal }).catch(() => {});
      if (reply.isAnswered) attemptedMs = performance.now();
    }
  };
  const crowds = groups.map((group) => ({ group, outcomes: [] as LiveOutcome[] }));
  const running = crowds.flatMap(({ group, outcomes }) =>
    Array.from({ length: group.streams }, () => client(group, outcomes)),
  );
  return {
    outcomes: crowds.map(({ outcomes }) => outcomes),
    async stop() {
      over.abort();
      const late = setTimeout(() => agent.destroy(), endWithinMs);
      await Promise.all(running);
      clearTimeout(late);
      agent.destroy();
    },
  };
}

/** After `stop`, an answer that takes longer is broken off. */
const endWithinMs = 20_000;

const messages = [{ role: 'user', content: 'Say something long.' }];
const body = JSON.stringify({ model: 'live', messages, stream: true, stream_options: { include_usage: true } });

/** Enough for the frame of the usage and the end mark. */
const endLength = 2_000;

type Reply = Omit<LiveOutcome, 'firstTokenMs'> & { readonly firstBytesMs: number };

function send(agent: Agent, { port, key, headers = [] }: LoadAddress): Promise<Reply> {
  const options = { agent, host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions' };
  const fixed = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  const own = headers.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
  return new Promise((resolve) => {
    let firstBytesMs = Number.NaN;
    const broken = () => resolve({ status: 0, isAnswered: false, tokens: 0, firstBytesMs });
    const sent = request({ ...options, headers: { ...fixed, ...Object.fromEntries(own) } }, (response) => {
      let end = '';
      response.on('data', (bytes: Buffer) => {
        if (end === '') firstBytesMs = performance.now();
        end = (end + bytes.toString('latin1')).slice(-endLength);
      });
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const tokens = Number(/"total_tokens": ?(\d+)/.exec(end)?.[1] ?? 0);
        resolve({ status, isAnswered: status === 200 && end.includes('[DONE]'), tokens, firstBytesMs });
      });
      response.on('error', broken);
    });
    sent.on('error', broken);
    sent.end(body);
  });
}
