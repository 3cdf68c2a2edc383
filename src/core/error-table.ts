/** One row an error case; the contract's section on errors is this table. `docs/errors.md` is tested against it. */
interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly type: 'authentication_error' | 'gateway_error' | 'upstream_error';
  /** What the client reads when nothing more precise can be said. */
  readonly text: string;
  /** The contract puts an empty `param` on upstream refusals, and nowhere else. */
  readonly param?: '';
}

export const errorTable = {
  'invalid-api-key': {
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
    text: 'The API key is missing, malformed, revoked or unknown. Check the key and how it is sent.',
  },
  'access-denied': {
    status: 403,
    code: 'access_denied',
    type: 'gateway_error',
    text: '模型不存在，或当前密钥无权访问该模型。请通过 GET /v1/models 查询可用模型。',
  },
  'unparseable-body': {
    status: 400,
    code: '',
    type: 'gateway_error',
    text: 'The request body could not be parsed. Send a JSON object in UTF-8 with Content-Type: application/json.',
  },
  'invalid-request': {
    status: 400,
    code: 'invalid_request',
    type: 'gateway_error',
    text: 'A field of the request breaks a rule.',
  },
  'bad-request': {
    status: 400,
    code: 'bad_request',
    type: 'gateway_error',
    text: 'The request is not valid HTTP/1.1.',
  },
  'not-found': {
    status: 404,
    code: 'not_found',
    type: 'gateway_error',
    text: 'There is nothing at this path. The endpoints are listed at /docs.',
  },
  'method-not-allowed': {
    status: 405,
    code: 'method_not_allowed',
    type: 'gateway_error',
    text: 'This path exists, but not for this method.',
  },
  'request-timeout': {
    status: 408,
    code: 'request_timeout',
    type: 'gateway_error',
    text: 'The request did not arrive completely in time. Send it again.',
  },
  'body-too-large': {
    status: 413,
    code: 'body_too_large',
    type: 'gateway_error',
    text: 'The request body is larger than this gateway accepts.',
  },
  'expectation-failed': {
    status: 417,
    code: 'expectation_failed',
    type: 'gateway_error',
    text: 'The only expectation this gateway meets is 100-continue.',
  },
  'headers-too-large': {
    status: 431,
    code: 'headers_too_large',
    type: 'gateway_error',
    text: 'The request line and headers are larger than this gateway accepts.',
  },
  'upstream-rejected': {
    status: 400,
    code: 'upstream_rejected',
    type: 'upstream_error',
    text: 'The model provider could not process this request. Please try again later.',
    param: '',
  },
  'upstream-failed': {
    status: 502,
    code: 'upstream_failed',
    type: 'upstream_error',
    text: 'The model provider failed to answer. Please try again later.',
  },
  'upstream-timeout': {
    status: 504,
    code: 'upstream_timeout',
    type: 'upstream_error',
    text: 'The model provider did not answer in time. Please try again later.',
  },
  overloaded: {
    status: 503,
    code: 'overloaded',
    type: 'gateway_error',
    text: 'The gateway is over capacity. Please try again later.',
  },
  'shutting-down': {
    status: 503,
    code: 'shutting_down',
    type: 'gateway_error',
    text: 'The gateway is shutting down. Please try again in a moment.',
  },
  'internal-error': {
    status: 500,
    code: 'internal_error',
    type: 'gateway_error',
    text: 'Something went wrong inside the gateway. Report the request id to support if it persists.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCase = keyof typeof errorTable;
