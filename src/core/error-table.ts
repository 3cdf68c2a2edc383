/** One row an error case; the contract's section on errors is this table. `docs/errors.md` is tested against it. */
interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly type: 'authentication_error' | 'gateway_error' | 'upstream_error';
  /** What the client reads when nothing more precise can be said. */
  readonly text: string;
  /** The same for readers of Chinese, in the dashboard. */
  readonly chinese: string;
  /** The contract puts an empty `param` on upstream refusals, and nowhere else. */
  readonly param?: '';
  readonly guide: ErrorGuide;
}

/** What the documentation says of a case. */
interface ErrorGuide {
  /** The step of a request's way that can end so: an endpoint documents the cases of the steps it has. */
  readonly step:
    | 'connection'
    | 'route'
    | 'key'
    | 'session'
    | 'role'
    | 'body'
    | 'version'
    | 'model'
    | 'inference'
    | 'redemption'
    | 'readiness';
  readonly when: string;
  readonly remedy: string;
}

export const errorTable = {
  'invalid-api-key': {
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
    text: 'The API key is missing, malformed, revoked or unknown. Check the key and how it is sent.',
    chinese: 'API 密钥缺失、格式有误、已吊销或不存在。',
    guide: {
      step: 'key',
      when: 'The Authorization header is missing or malformed, or the key is unknown, expired or revoked.',
      remedy: 'Check the key, or replace it, and send it as `Authorization: Bearer <API_KEY>`.',
    },
  },
  'key-revoked': {
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
    text: 'The API key was withdrawn while its request was being answered.',
    chinese: '请求应答期间，API 密钥已被撤销。',
    guide: {
      step: 'inference',
      when: 'The operator revoked the key and asked for running answers to be cut; usually it arrives inside the stream.',
      remedy: 'Ask the operator for another key.',
    },
  },
  'suspended-midway': {
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
    text: 'The account was suspended while its request was being answered.',
    chinese: '请求应答期间，账户已被暂停。',
    guide: {
      step: 'inference',
      when: 'The operator suspended the account of the key and asked for running answers to be cut; usually it arrives inside the stream.',
      remedy: 'Ask the operator to resume the account.',
    },
  },
  'access-denied': {
    status: 403,
    code: 'access_denied',
    type: 'gateway_error',
    text: '模型不存在，或当前密钥无权访问该模型。请通过 GET /v1/models 查询可用模型。The model does not exist, or this key may not use it. GET /v1/models lists the models it can use.',
    chinese: '模型不存在，或此密钥无权使用该模型。',
    guide: {
      step: 'model',
      when: 'The model is not in the catalog, or this key may not use it. Both read the same, and the message is in Chinese first, then in English.',
      remedy: 'Ask `GET /v1/models` for the models this key can use.',
    },
  },
  'insufficient-balance': {
    status: 402,
    code: 'insufficient_balance',
    type: 'gateway_error',
    text: 'The balance of this account does not cover the most this request could cost. Top it up, or lower max_tokens.',
    chinese: '账户余额或此密钥的消费上限不足以支付此请求的最高费用。请充值、提高上限，或调低 max_tokens。',
    guide: {
      step: 'inference',
      when: 'The account has less available than the prompt and `max_tokens` (or the model’s cap) could cost.',
      remedy: 'Top up the account, wait for running requests to finish, or send a lower `max_tokens`.',
    },
  },
  'key-cap-reached': {
    status: 402,
    code: 'insufficient_balance',
    type: 'gateway_error',
    text: 'The remaining spend cap of this key is below the maximum cost of this request. Ask its owner to raise the cap, or lower max_tokens.',
    chinese: '此密钥的消费上限余额不足以支付此请求的最高费用。请让密钥所有者提高上限，或调低 max_tokens。',
    guide: {
      step: 'inference',
      when: 'The key has a spend cap, and has less left of it than the prompt and `max_tokens` (or the model’s cap) could cost; the account may have more.',
      remedy: 'Raise the cap of the key, use another key, or send a lower `max_tokens`.',
    },
  },
  'key-busy': {
    status: 503,
    code: 'overloaded',
    type: 'gateway_error',
    text: 'The concurrency limit of this key was reached and no slot became free in time. Please try again later.',
    chinese: '此密钥的并发请求数已达上限，且未能及时空出。请稍后重试。',
    guide: {
      step: 'inference',
      when: 'The key is limited to some requests at once, and this one waited for its turn as long as requests may wait.',
      remedy: 'Send fewer at once, allow the key more at once, or use another key.',
    },
  },
  'not-signed-in': {
    status: 401,
    code: 'not_signed_in',
    type: 'authentication_error',
    text: 'You are not signed in, or your session has ended. Sign in and try again.',
    chinese: '您尚未登录，或会话已结束。请登录后重试。',
    guide: {
      step: 'session',
      when: 'Only the dashboard: the request needs a session, and there is none or it has ended.',
      remedy: 'Sign in again.',
    },
  },
  'sign-in-refused': {
    status: 401,
    code: 'sign_in_refused',
    type: 'authentication_error',
    text: 'The e-mail address or the password is wrong.',
    chinese: '邮箱地址或密码不正确，请检查输入。',
    guide: {
      step: 'session',
      when: 'Only the dashboard: a password, a code or a passkey is wrong, or a link was used already or is too old. After several failures answers take longer.',
      remedy: 'Check what was typed; ask an owner, or the operator for a new link, if you cannot get in.',
    },
  },
  forbidden: {
    status: 403,
    code: 'forbidden',
    type: 'gateway_error',
    text: 'Your role does not allow this. It needs a higher role.',
    chinese: '您没有权限执行此操作，需要更高的角色。',
    guide: {
      step: 'role',
      when: 'A token or a user of the admin or account API has too low a role for what is asked, or a page elsewhere sent the request.',
      remedy: 'Use a token of a higher role, or ask an owner for that role.',
    },
  },
  'code-refused': {
    status: 400,
    code: 'code_refused',
    type: 'gateway_error',
    text: 'This code cannot be redeemed.',
    chinese: '此兑换码无法兑换。',
    guide: {
      step: 'redemption',
      when: 'A redemption code is mistyped, unknown, redeemed already, withdrawn, expired, or for another site or package. The code of the error says which: `code_mistyped`, `code_unknown`, `code_used`, `code_used_by_you`, `code_withdrawn`, `code_expired`, `code_elsewhere`, `code_other_package` or `code_suspended`. After several refusals answers take longer.',
      remedy: 'Do what the message says; a refused code is not used up.',
    },
  },
  'account-suspended': {
    status: 403,
    code: 'account_suspended',
    type: 'gateway_error',
    text: 'This account is suspended: its keys are rejected and it cannot create new ones. Ask the operator of this gateway.',
    chinese: '此账户已暂停，其密钥不可用，因此不能创建新密钥。请联系网关运营方。',
    guide: {
      step: 'role',
      when: 'An owner or a member of a suspended account asks for a new key.',
      remedy: 'Ask the operator to resume the account.',
    },
  },
  'address-not-allowed': {
    status: 403,
    code: 'address_not_allowed',
    type: 'authentication_error',
    text: 'This API key is not allowed from your IP address. Ask its owner to allow the address.',
    chinese: '此密钥不允许从您当前的地址使用。请让密钥所有者允许您的地址。',
    guide: {
      step: 'key',
      when: 'The key is limited to some addresses, and the request came from another one.',
      remedy: 'Use the key from where it is meant to be used, or add the address or its range to the key.',
    },
  },
  'unparseable-body': {
    status: 400,
    code: '',
    type: 'gateway_error',
    text: 'The request body could not be parsed. Send a JSON object in UTF-8 with Content-Type: application/json.',
    chinese: '提交的内容无法解析。',
    guide: {
      step: 'body',
      when: 'The body is not well-formed JSON in UTF-8, or its Content-Type is not `application/json`.',
      remedy: 'Send valid JSON with `Content-Type: application/json`.',
    },
  },
  'invalid-request': {
    status: 400,
    code: 'invalid_request',
    type: 'gateway_error',
    text: 'A field of the request breaks a rule.',
    chinese: '提交的内容不符合要求。',
    guide: {
      step: 'body',
      when: 'The body is JSON, but a field is missing, has the wrong type or is out of range.',
      remedy: 'Correct the field that the message names; sending the same body again gives the same answer.',
    },
  },
  conflict: {
    status: 409,
    code: 'conflict',
    type: 'gateway_error',
    text: 'It was changed since you read it. Read it again, and send its `version` with what you want now.',
    chinese: '您读取之后，此项已被修改。请重新读取后再提交。',
    guide: {
      step: 'version',
      when: 'A write of the admin or account API names a `version` in `If-Match` that the thing no longer has, and the message says who changed what; or a response is to be deleted that is still being made.',
      remedy:
        'Read it again, decide what should stand, and send the new `version`; or leave `If-Match` out to overwrite it. Delete a response when it is complete.',
    },
  },
  'bad-request': {
    status: 400,
    code: 'bad_request',
    type: 'gateway_error',
    text: 'The request is not valid HTTP/1.1.',
    chinese: '请求不是有效的 HTTP/1.1。',
    guide: {
      step: 'connection',
      when: 'The bytes that arrived are not a valid HTTP/1.1 request.',
      remedy: 'Use an HTTP client library, and look for a proxy that rewrites requests.',
    },
  },
  'not-found': {
    status: 404,
    code: 'not_found',
    type: 'gateway_error',
    text: 'There is nothing at this path. The endpoints are listed at /docs.',
    chinese: '此路径不存在。',
    guide: {
      step: 'route',
      when: 'No endpoint has this path.',
      remedy: 'Compare the path and the base address with the list of endpoints.',
    },
  },
  'method-not-allowed': {
    status: 405,
    code: 'method_not_allowed',
    type: 'gateway_error',
    text: 'This path exists, but not for this method.',
    chinese: '此路径不支持该方法。',
    guide: {
      step: 'route',
      when: 'The endpoint exists, but for another method.',
      remedy: 'Use the method that the `Allow` header names.',
    },
  },
  'request-timeout': {
    status: 408,
    code: 'request_timeout',
    type: 'gateway_error',
    text: 'The request did not arrive completely in time. Send it again.',
    chinese: '请求传输超时，请重试。',
    guide: {
      step: 'connection',
      when: 'The headers or the body stopped arriving before they were complete.',
      remedy: 'Send the request again.',
    },
  },
  'body-too-large': {
    status: 413,
    code: 'body_too_large',
    type: 'gateway_error',
    text: 'The request body is larger than this gateway accepts.',
    chinese: '提交的内容过大。',
    guide: {
      step: 'body',
      when: 'The body is larger than the operator allows.',
      remedy: 'Shorten the conversation.',
    },
  },
  'expectation-failed': {
    status: 417,
    code: 'expectation_failed',
    type: 'gateway_error',
    text: 'The only expectation this gateway meets is 100-continue.',
    chinese: '网关不支持该请求的 Expect 请求头。',
    guide: {
      step: 'connection',
      when: 'The Expect header asks for something other than `100-continue`.',
      remedy: 'Leave the Expect header out.',
    },
  },
  'upgrade-refused': {
    status: 426,
    code: 'upgrade_refused',
    type: 'gateway_error',
    text: 'WebSocket is not supported. Send the same request with POST; with stream: true its events come over HTTP.',
    chinese: '网关不支持 WebSocket。',
    guide: {
      step: 'route',
      when: 'A client wants to speak over a WebSocket.',
      remedy: 'Send `POST /v1/responses`; clients that can do both fall back by themselves.',
    },
  },
  'headers-too-large': {
    status: 431,
    code: 'headers_too_large',
    type: 'gateway_error',
    text: 'The request line and headers are larger than this gateway accepts.',
    chinese: '请求行和请求头过大。',
    guide: {
      step: 'connection',
      when: 'The request line and the headers together are too large.',
      remedy: 'Send fewer or shorter headers.',
    },
  },
  'upstream-rejected': {
    status: 400,
    code: 'upstream_rejected',
    type: 'upstream_error',
    text: 'The model provider could not process this request. Please try again later.',
    chinese: '上游服务拒绝了此请求。',
    param: '',
    guide: {
      step: 'inference',
      when: 'The model provider refused the request as it was forwarded, often because of a parameter the model does not support. The code varies with the provider, and `param` is an empty string.',
      remedy:
        'Do not retry as it is: the refusal is not transient, whatever the message says. Remove parameters the model does not support.',
    },
  },
  'context-overflow': {
    status: 400,
    code: 'context_length_exceeded',
    type: 'upstream_error',
    text: 'The model provider could not process this request. Please try again later.',
    chinese: '对话长度超出模型的上下文窗口。',
    param: '',
    guide: {
      step: 'inference',
      when: 'The prompt, or the prompt with its `max_tokens`, is longer than the model can hold. On the messages surface the message begins with `prompt is too long: N tokens > M maximum`.',
      remedy: 'Shorten or compact the conversation, or choose a model with a larger context window.',
    },
  },
  'upstream-failed': {
    status: 502,
    code: 'upstream_failed',
    type: 'upstream_error',
    text: 'The model provider failed to answer. Please try again later.',
    chinese: '上游服务未能正常应答，请稍后重试。',
    guide: {
      step: 'inference',
      when: 'Every provider that serves the model failed before it began to answer.',
      remedy: 'Retry once or twice with exponential backoff, from 1 second up to 60 seconds at most.',
    },
  },
  'constraint-violated': {
    status: 502,
    code: 'constraint_violated',
    type: 'upstream_error',
    text: 'The model did not answer as the request demands, also when it was asked again.',
    chinese: '模型未能按要求的格式作答，重新询问后仍未改正。',
    guide: {
      step: 'inference',
      when: 'The request demands something of the answer that the model did not keep to and this gateway sees to: arguments that fit a `strict` schema, a call that `tool_choice` demands, JSON of a `response_format`. It was asked again as often as the operator allows, as long as nothing wrong had gone out. Inside a stream it is the last frame.',
      remedy: 'Retry once, simplify the schema, or choose a model that is better at it.',
    },
  },
  'upstream-timeout': {
    status: 504,
    code: 'upstream_timeout',
    type: 'upstream_error',
    text: 'The model provider did not answer in time. Please try again later.',
    chinese: '上游服务应答超时，请稍后重试。',
    guide: {
      step: 'inference',
      when: 'No provider that serves the model began to answer in time.',
      remedy: 'Retry once or twice with exponential backoff, or ask for less in one request.',
    },
  },
  overloaded: {
    status: 503,
    code: 'overloaded',
    type: 'gateway_error',
    text: 'The gateway is over capacity. Please try again later.',
    chinese: '网关繁忙，请稍后重试。',
    guide: {
      step: 'inference',
      when: 'The request waited for its turn longer than the operator allows or its client said it would, or too many requests were waiting and its account had the most of them, or this machine had no descriptor or local port left to reach a provider with, or the gateway could not reach its database for as long as the request may wait.',
      remedy: 'Retry once or twice with exponential backoff, from 1 second up to 60 seconds at most.',
    },
  },
  'answer-under-way': {
    status: 503,
    code: 'answer_under_way',
    type: 'gateway_error',
    text: 'A request with the same Idempotency-Key is being answered. Send it again in a moment.',
    chinese: '使用相同 Idempotency-Key 的请求正在应答中，请稍后再次发送。',
    guide: {
      step: 'inference',
      when: 'A request with the same `Idempotency-Key` is being answered, and its answer cannot be given a second time: the process that makes it cannot be reached, or the answer is longer than what is kept. A second one is never made beside it.',
      remedy: 'Send it again in a moment, with the same key.',
    },
  },
  'shutting-down': {
    status: 503,
    code: 'shutting_down',
    type: 'gateway_error',
    text: 'The gateway is shutting down. Please try again in a moment.',
    chinese: '网关正在重启，请稍后重试。',
    guide: {
      step: 'connection',
      when: 'This process is being stopped or replaced: the request would have had to wait, or was not finished in time. Inside a stream it is the last frame.',
      remedy: 'Retry in a moment, on a new connection.',
    },
  },
  'not-ready': {
    status: 503,
    code: 'not_ready',
    type: 'gateway_error',
    text: 'This process is not accepting new requests.',
    chinese: '网关尚未就绪，请稍后重试。',
    guide: {
      step: 'readiness',
      when: 'Only from `/readyz`: the store is out of reach or takes no charges, the process is shutting down, was blocked, or is short of memory or of something else that requests need. `checks` says which.',
      remedy: 'Send requests to another process until it answers with 200 again.',
    },
  },
  'internal-error': {
    status: 500,
    code: 'internal_error',
    type: 'gateway_error',
    text: 'Something went wrong inside the gateway. Report the request id to support if it persists.',
    chinese: '网关内部出现错误。如果问题持续，请向支持人员提供请求编号。',
    guide: {
      step: 'connection',
      when: 'The gateway itself failed.',
      remedy: 'Retry once or twice with exponential backoff; if it persists, report the request id to support.',
    },
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCase = keyof typeof errorTable;
