import { changing, changingChunks, type FaultRow, headerless, to, toChat } from './change.ts';

const catalog = to('/v1/models', 'GET');
let served = 0;

/** Faults of single answers that only the checks over the whole run detect. */
export const runFaults: readonly FaultRow[] = [
  [
    'never-429/status',
    'every tenth request gives 429',
    changing(catalog, (reply) => void ((served += 1) % 10 === 0 && (reply.status = 429))),
  ],
  [
    'never-429/retry-after',
    'a reply has Retry-After',
    changing(catalog, (reply) => void (reply.headers['Retry-After'] = '1')),
  ],
  [
    'never-429/rate-limit-headers',
    'a reply has X-RateLimit-Remaining',
    changing(catalog, (reply) => void (reply.headers['X-RateLimit-Remaining'] = '9')),
  ],
  [
    'never-429/rate-limit-headers',
    'a reply has RateLimit-Policy',
    changing(catalog, (reply) => void (reply.headers['RateLimit-Policy'] = '9')),
  ],
  [
    'every-answer/headers',
    'the catalog has no version',
    headerless('x-gateway-version', (_, request) => catalog(request)),
  ],
  [
    'every-answer/request-id',
    'request ids repeat',
    { change: (reply) => void (reply.headers['x-gateway-request-id'] = 'same') },
  ],
  [
    'every-answer/envelope',
    'one error is plain text',
    changing(
      ({ json }) => json.logprobs === 'true',
      (reply) => void (reply.body = 'no'),
    ),
  ],
  [
    'every-answer/no-outage',
    'one reply is a 503',
    changing(
      ({ json }) => json.top_p === 0,
      (reply) => void (reply.status = 503),
    ),
  ],
  [
    'every-answer/streams',
    'one stream is out of order',
    changingChunks(
      (chunks) => void chunks.reverse(),
      (request) => toChat(request) && request.json.temperature === 2,
    ),
  ],
];
