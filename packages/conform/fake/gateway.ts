import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isObject, parsed } from '../json.ts';
import { chatReply, denied, fakeModels, modelNamed, usageFor } from './chat.ts';
import { errorReply, type FakeRequest, jsonReply, type FakeGatewayReply, streamReply } from './reply.ts';
import { noUpgrade, responsesReply } from './responses.ts';
import { rules } from './rules.ts';

/** One fault: rules that are not enforced, or a change to the replies. */
export interface ConformFault {
  readonly without?: readonly string[];
  readonly change?: (reply: FakeGatewayReply, request: FakeRequest) => void;
}

export interface FakeGateway {
  readonly url: string;
  readonly key: string;
  /** Unexpected errors of the fake gateway or of a fault. */
  readonly crashes: readonly unknown[];
  /** Sets the only fault of the gateway; `{}` for none. */
  readonly setFault: (fault: ConformFault) => void;
  readonly close: () => void;
}

const key = 'fake_live_0123456789abcdefghij';

/** Starts a minimal gateway that follows the contract exactly. */
export async function fakeGateway(): Promise<FakeGateway> {
  let fault: ConformFault = {};
  let served = 0;
  const crashes: unknown[] = [];
  const serve = async (incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = incoming;
    const request: FakeRequest = { method, path, headers, body: await text(incoming), json: {} };
    served += 1;
    const reply = replyTo(request, fault.without ?? []);
    reply.headers['x-gateway-version'] = '20260102-030405';
    reply.headers['x-gateway-request-id'] = `request-${served}`;
    reply.body = reply.body.replace('(request id: ID)', `(request id: request-${served})`);
    fault.change?.(reply, request);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  const server = http.createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      crashes.push(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    crashes,
    setFault: (next) => {
      fault = next;
    },
    close: () => server.close(),
  };
}

function replyTo(request: FakeRequest, without: readonly string[]): FakeGatewayReply {
  const { method, path } = request;
  if (method === 'OPTIONS') return { status: 204, headers: {}, body: '' };
  const route = routes[path.replace(/\?.*/, '')];
  if (route === undefined) return errorReply(404, 'not_found', 'gateway_error', 'Nothing here.');
  if (path === '/v1/responses' && request.headers.upgrade !== undefined) return noUpgrade();
  if (method !== route.method) return errorReply(405, 'method_not_allowed', 'gateway_error', 'Not this way.');
  const given = route.bearer ? request.headers.authorization : request.headers['x-api-key'];
  if (given !== (route.bearer ? `Bearer ${key}` : key))
    return errorReply(401, 'invalid_api_key', 'authentication_error', 'Who are you?');
  if (method === 'GET') return route.reply({});
  const unparseable = errorReply(400, '', 'gateway_error', 'Not JSON.');
  if (!/^application\/json\b/i.test(String(request.headers['content-type']))) return unparseable;
  const body = parsed(request.body);
  if (body === undefined) return unparseable;
  request.json = isObject(body) ? { ...body } : {};
  const broken = brokenRule(body, route.rules, without);
  if (broken !== undefined) return errorReply(400, 'invalid_request', 'gateway_error', `${broken} breaks a rule.`);
  return route.reply(request.json);
}

function brokenRule(body: unknown, names: readonly string[], without: readonly string[]): string | undefined {
  if (!isObject(body)) return 'body';
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  return names.filter((name) => !without.includes(name)).find((name) => rules[name]?.(present) === false);
}

interface FakeRoute {
  readonly method: string;
  readonly bearer: boolean;
  readonly rules: readonly string[];
  readonly reply: (body: Record<string, unknown>) => FakeGatewayReply;
}

const routes: Readonly<Record<string, FakeRoute>> = {
  '/v1/models': { method: 'GET', bearer: true, rules: [], reply: catalogReply },
  '/v1/user/balance': { method: 'GET', bearer: true, rules: [], reply: balanceReply },
  '/v1/chat/completions': { method: 'POST', bearer: true, rules: Object.keys(rules), reply: chatReply },
  '/v1/completions': { method: 'POST', bearer: true, rules: [], reply: completionReply },
  '/v1/responses': { method: 'POST', bearer: true, rules: [], reply: responsesReply },
  '/anthropic/v1/messages': { method: 'POST', bearer: false, rules: [], reply: messageReply },
};

function catalogReply(): FakeGatewayReply {
  const data = fakeModels.map(({ id, tags }) => ({
    id,
    object: 'model',
    created: 1626777600,
    owned_by: 'fake',
    supported_endpoint_types: tags,
  }));
  return jsonReply(200, { object: 'list', data, success: true });
}

function balanceReply(): FakeGatewayReply {
  const info = { currency: 'USD', total_balance: '5.00', granted_balance: '5.00', topped_up_balance: '0.00' };
  return jsonReply(200, { is_available: true, balance_infos: [info] });
}

function completionReply(body: Record<string, unknown>): FakeGatewayReply {
  if (body.prompt === undefined) return errorReply(400, 'invalid_request', 'gateway_error', 'prompt is missing.');
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1, model: body.model, system_fingerprint: null };
  const choice = { index: 0, text: ' there was', finish_reason: null, logprobs: null };
  return streamReply([
    { ...head, choices: [choice], usage: null },
    { ...head, choices: [{ ...choice, text: '', finish_reason: 'stop' }], usage: null },
    { ...head, choices: [], usage: usageFor(4, 2, 0) },
  ]);
}

function messageReply(body: Record<string, unknown>): FakeGatewayReply {
  if (modelNamed(body.model) === undefined) return denied();
  const message = { type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } };
  if (body.stream !== true) return jsonReply(200, message);
  return streamReply([{ type: 'message_start', message }, { type: 'ping' }, { type: 'message_stop' }], '');
}
