import { chatReply } from './chat.ts';
import { replaceReply, changing, changingJson, type FaultRow, headerless, to, toChat } from './change.ts';
import { errorReply, type FakeRequest, jsonReply, type FakeGatewayReply } from './reply.ts';

const credentials: readonly (readonly [string, string, (request: FakeRequest) => boolean])[] = [
  ['missing', 'no key', ({ headers }) => headers.authorization === undefined && headers['x-api-key'] === undefined],
  ['empty', 'an empty key', ({ headers }) => headers.authorization?.toString().trim() === 'Bearer'],
  ['no-scheme', 'a bare key', ({ headers }) => String(headers.authorization).startsWith('fake_')],
  ['wrong-scheme', 'another scheme', ({ headers }) => String(headers.authorization).startsWith('Basic')],
  ['malformed', 'a key with trailing text', ({ headers }) => /~/.test(String(headers.authorization))],
  ['unknown', 'an unknown key', ({ headers }) => /0{4}$/.test(String(headers.authorization))],
  ['other-surface', 'the other header', ({ headers }) => headers['x-api-key'] !== undefined],
  ['query', 'a key in the query', ({ path }) => path.includes('api_key=')],
];
const accepting = (when: (request: FakeRequest) => boolean) =>
  changing(when, (reply) => replaceReply(reply, jsonReply(200, {})));
const status = (wanted: number, change: (reply: FakeGatewayReply) => void) => ({
  change: (reply: FakeGatewayReply) => {
    if (reply.status === wanted) change(reply);
  },
});
const error = (wanted: number, change: (error: Record<string, unknown>) => void) =>
  status(wanted, (reply) => {
    const body = JSON.parse(reply.body) as { error: Record<string, unknown> };
    change(body.error);
    reply.body = JSON.stringify(body);
  });
const answering = (when: (request: FakeRequest) => boolean) =>
  changing(when, (reply) => replaceReply(reply, chatReply({ model: 'fake-chat', messages: [] })));
const version = 'x-gateway-version';
const requestId = 'x-gateway-request-id';

export const errorFaults: readonly FaultRow[] = [
  ['authentication/accepted', 'the key is rejected', changing(to('/v1/models'), (reply) => void (reply.status = 401))],
  ...credentials.map(
    ([slug, name, when]): FaultRow => [`authentication/${slug}`, `${name} is accepted`, accepting(when)],
  ),
  ['authentication/unknown', 'a wrong key gives 403', status(401, (reply) => void (reply.status = 403))],
  ['authentication/unknown', 'a wrong key has another code', error(401, (body) => void (body.code = 'bad_key'))],
  ['authentication/unknown', 'a wrong key has another type', error(401, (body) => void (body.type = 'gateway_error'))],
  ['authentication/missing', 'the message has no request id', error(401, (body) => void (body.message = 'No.'))],
  [
    'authentication/missing',
    'the message has another request id',
    error(401, (body) => void (body.message = '(request id: x)')),
  ],
  ['errors/absent-model', 'an unknown model gives 404', status(403, (reply) => void (reply.status = 404))],
  ['errors/absent-model', 'the code differs', error(403, (body) => void (body.code = 'model_not_found'))],
  [
    'errors/absent-model',
    'a name such as __proto__ gives 500',
    changing(
      ({ json }) => json.model === '__proto__',
      (reply) => void (reply.status = 500),
    ),
  ],
  [
    'errors/chinese',
    'the message is English',
    error(403, (body) => void (body.message = 'No such model (request id: x)')),
  ],
  ['errors/malformed-json', 'incomplete JSON has a code', error(400, (body) => void (body.code = 'bad_json'))],
  [
    'errors/malformed-json',
    'incomplete JSON has another type',
    error(400, (body) => void (body.type = 'invalid_request_error')),
  ],
  [
    'errors/malformed-json',
    'an empty body is accepted',
    answering((request) => toChat(request) && request.body === ''),
  ],
  [
    'errors/content-type',
    'text/plain is accepted as JSON',
    answering(({ headers }) => headers['content-type'] === 'text/plain'),
  ],
  [
    'errors/content-type',
    'a missing Content-Type is accepted as JSON',
    answering((request) => toChat(request) && request.headers['content-type'] === undefined),
  ],
  [
    'errors/content-type',
    'another Content-Type gives 415',
    changing(
      ({ headers }) => headers['content-type'] === 'text/plain',
      (reply) => void (reply.status = 415),
    ),
  ],
  [
    'errors/content-type-parameters',
    'a charset is rejected',
    changing(
      ({ headers }) => /charset/.test(String(headers['content-type'])),
      (reply) => replaceReply(reply, errorReply(400, '', 'gateway_error', 'No.')),
    ),
  ],
  ['errors/upstream-refusal', 'the upstream’s error has no param', error(400, (body) => void delete body.param)],
  ['errors/upstream-refusal', 'the upstream’s error has no code', error(400, (body) => void (body.code = ''))],
  ['http/not-found', 'an unknown path gives HTML', status(404, (reply) => void (reply.body = '<h1>404</h1>'))],
  ['http/not-found', 'an unknown path gives 200', status(404, (reply) => void (reply.status = 200))],
  ['http/method', 'a wrong method gives an empty body', status(405, (reply) => void (reply.body = ''))],
  ['http/method', 'a wrong method gives 200', status(405, (reply) => void (reply.status = 200))],
  [
    'http/options',
    'OPTIONS gives 500',
    changing(
      ({ method }) => method === 'OPTIONS',
      (reply) => void (reply.status = 500),
    ),
  ],
  [
    'http/options',
    'OPTIONS is rejected without the envelope',
    changing(
      ({ method }) => method === 'OPTIONS',
      (reply) => void (reply.status = 405),
    ),
  ],
  ['headers/catalog', 'the catalog has no version', headerless(version, (_, request) => to('/v1/models')(request))],
  [
    'headers/catalog',
    'the version has another format',
    status(200, (reply) => void (reply.headers[version] = 'v1.2.3')),
  ],
  [
    'headers/catalog',
    'the version is not a date',
    status(200, (reply) => void (reply.headers[version] = '20261345-030405')),
  ],
  ['headers/stream', 'a stream has no request id', headerless(requestId, (_, request) => toChat(request))],
  ['headers/stream', 'the request id is empty', status(200, (reply) => void (reply.headers[requestId] = ''))],
  ['headers/unauthorized', 'a 401 has no version', headerless(version, (reply) => reply.status === 401)],
  ['headers/forbidden', 'a 403 has no version', headerless(version, (reply) => reply.status === 403)],
  ['headers/bad-request', 'a 400 has no request id', headerless(requestId, (reply) => reply.status === 400)],
  ['headers/not-found', 'a 404 has no request id', headerless(requestId, (reply) => reply.status === 404)],
  ['headers/method', 'a 405 has no version', headerless(version, (reply) => reply.status === 405)],
  ['headers/options', 'OPTIONS has no version', headerless(version, (_, { method }) => method === 'OPTIONS')],
  ['completions/key', 'completions need no key', accepting(to('/v1/completions'))],
  ['balance/key', 'the balance needs no key', accepting(to('/v1/user/balance'))],
  [
    'messages-surface/missing',
    'a request without a key is accepted',
    accepting((request) => to('/anthropic/v1/messages')(request) && request.headers['x-api-key'] === undefined),
  ],
  [
    'messages-surface/unknown',
    'an unknown key is accepted',
    accepting(({ headers }) => headers['x-api-key'] === 'no-such-key'),
  ],
  [
    'messages-surface/other-surface',
    'a bearer token is accepted',
    accepting((request) => to('/anthropic/v1/messages')(request) && request.headers.authorization !== undefined),
  ],
  [
    'messages-surface/same-key',
    'the key is rejected',
    changingJson(
      (request) => request.json.model === 'conform-no-such-model-2000-01-01' && to('/anthropic/v1/messages')(request),
      (body) => void (body.error = { code: 'invalid_api_key' }),
    ),
  ],
];
