import { slowClock } from '../clocks/slow-clock.ts';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { countsTokens } from '../counted-tokens.ts';
import type { ScriptedReply } from '../fakes/fake-provider.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { warmFastPath, watchedFastPath } from './warm-fast-path.ts';

export const fastPath = '/v1/chat/completions';
/** A request with a query is not simple, so it takes the slow path. The query changes nothing else. */
export const slowPath = '/v1/chat/completions?';

/** Replies of the provider, one for each call, and the body of the request. */
export interface Exchange {
  readonly script: readonly ScriptedReply[];
  readonly body: object;
}

/** A gateway with a cached key and an account lease. Each model has its own upstream, with its own health. */
export async function warmGateway(models: readonly string[]): Promise<TestGateway> {
  watchedFastPath();
  const config: Parameters<typeof startTestGateway>[0] = (base, provider) => ({
    ...base,
    stored_bodies: {},
    upstreams: ['warm', ...models].map((name) => ({
      name,
      kind: 'openai',
      base_url: provider.url,
      timeouts: { ...patientTimeouts },
    })),
    models: ['warm', ...models].map((name) =>
      model(name, { price: { input: '1', output: '2' }, routes: [{ upstream: name }] }),
    ),
  });
  // A busy machine must not end the wait for a late usage report on one path only.
  const gateway = await startTestGateway(config, { clock: slowClock(4) });
  // An answer without usage is counted the same on both paths only once the tokenizer has loaded.
  await countsTokens(gateway, 'warm');
  await warmFastPath(gateway, 'warm');
  return gateway;
}

/** Sends a request on a new connection. After an unusual request a connection never uses the fast path again. */
export async function sendChat(
  gateway: TestGateway,
  path: string,
  body: object,
): Promise<Pick<IncomingMessage, 'headers'> & { status: number; text: string }> {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const sent = JSON.stringify(body);
  const agent = new Agent({ keepAlive: true });
  const request = httpRequest({ port: gateway.port, path, method: 'POST', agent, headers }).end(sent);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { headers: replyHeaders, statusCode: status = 0 } = response;
  const text = (await response.setEncoding('latin1').toArray()).join('');
  agent.destroy();
  return { status, headers: replyHeaders, text };
}

/** Runs the same exchange on each path. Returns the bytes, the calls of the provider and the record of each. */
export async function bothPaths(
  gateway: TestGateway,
  exchange: Exchange,
  models: { readonly slow: string; readonly fast: string },
) {
  const seen = [
    await runExchange(gateway, slowPath, exchange, models.slow),
    await runExchange(gateway, fastPath, exchange, models.fast),
  ];
  const [slow, fast] = await Promise.all(
    seen.map(async ({ id, ...each }) => ({ ...each, record: await recordOf(gateway, id) })),
  );
  return { slow, fast };
}

async function runExchange(gateway: TestGateway, path: string, { script, body }: Exchange, name: string) {
  let callIndex = 0;
  gateway.provider.respond(name, (writer, call) => script[Math.min(callIndex++, script.length - 1)]!(writer, call));
  const { mock } = watchedFastPath();
  const before = mock.results.length;
  const seen = await outcome(gateway, path, { model: name, ...body });
  expect(mock.results.slice(before).some(({ value }) => value === true)).toBe(path === fastPath);
  return seen;
}

/** All observable results of one request, without its id and times. */
async function outcome(gateway: TestGateway, path: string, body: object) {
  const calls = gateway.provider.calls.length;
  const reply = await sendChat(gateway, path, {
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    ...body,
  });
  await expect.poll(() => gateway.gateway.alive()).toMatchObject({ answers: 0, requests: 0, holds: 0 });
  const id = String(reply.headers['x-gateway-request-id']);
  return {
    id,
    status: reply.status,
    headers: Object.entries(reply.headers).filter(([name]) => !differing.has(name)),
    text: reply.text
      .replaceAll(id, 'the-id')
      .replace(/"created":\d+/g, '"created":0')
      .replace(generatedCallId, '"id":"call_id"'),
    calls: gateway.provider.calls.slice(calls).map(({ body: sent }) => sent),
  };
}

/** The id that the gateway generates for a tool call without one. */
const generatedCallId = /"id":"call_\d{17}\w+"/g;
const differing = new Set(['date', 'x-gateway-request-id', 'x-gateway-version', 'content-length']);

async function recordOf(gateway: TestGateway, id: string) {
  const find = () =>
    gateway.gateway.store.db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
  await expect.poll(find).toBeDefined();
  const row = await find();
  if (!row) return undefined;
  const times = [row.first_byte_ms, row.wait_ms].map((ms) => ms !== null);
  return { ...row, ...differingColumns, times, attempt_log: row.attempt_log?.replace(/"(\w+Ms)":\d+/g, '"$1":0') };
}

const differingColumns = {
  id: 0,
  account_id: 0,
  key_id: 0,
  started_at: 0,
  first_byte_ms: 0,
  duration_ms: 0,
  wait_ms: 0,
};
