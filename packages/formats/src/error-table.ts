/** One row per error case. It implements the contract's section on errors; a test compares `docs/errors.md` with it. */
interface ErrorRow {
  readonly status: number;
  readonly code: string;
  readonly type: 'authentication_error' | 'gateway_error' | 'upstream_error';
  /** The message for the client, unless an error has a more precise one. */
  readonly text: string;
  /** The same in Chinese, for the dashboard. */
  readonly chinese: string;
  /** The contract has an empty `param` on upstream refusals, and nowhere else. */
  readonly param?: '';
  /** The step of a request that can end with this case. An endpoint documents the cases of its steps. */
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
  /** For the documentation: when it happens, and what the client can do. */
  readonly when: string;
  readonly remedy: string;
}

export const errorTable = {
  'invalid-api-key': {
    ...envelope(401, 'invalid_api_key', 'authentication_error'),
    text: 'The API key is missing, malformed, revoked or unknown. Check the key and how it is sent.',
    chinese: 'API 密钥缺失、格式有误、已吊销或不存在。请检查密钥及其发送方式。',
    step: 'key',
    when: 'The Authorization header is missing or malformed, or the key is unknown, expired or revoked.',
    remedy: 'Check the key, or replace it, and send it as `Authorization: Bearer <API_KEY>`.',
  },
  'key-revoked': {
    ...envelope(401, 'invalid_api_key', 'authentication_error'),
    text: 'The API key was revoked during the request.',
    chinese: 'API 密钥在请求处理期间被吊销。',
    step: 'inference',
    when: 'The operator revoked the key and aborted its running requests. The error usually arrives inside the stream.',
    remedy: 'Ask the operator for another key.',
  },
  'suspended-midway': {
    ...envelope(401, 'invalid_api_key', 'authentication_error'),
    text: 'The account was suspended during the request.',
    chinese: '账户在请求处理期间被暂停。',
    step: 'inference',
    when: 'The operator suspended the account of the key and aborted its running requests. The error usually arrives inside the stream.',
    remedy: 'Ask the operator to resume the account.',
  },
  'access-denied': {
    ...envelope(403, 'access_denied', 'gateway_error'),
    text: '模型不存在，或当前密钥无权访问该模型。请通过 GET /v1/models 查询可用模型。The model does not exist, or this key may not use it. GET /v1/models lists the models it can use.',
    chinese: '模型不存在，或此密钥无权使用该模型。',
    step: 'model',
    when: 'The model is not in the catalog, or this key may not use it. Both cases have the same message, first in Chinese, then in English.',
    remedy: 'Call `GET /v1/models` for the models that this key can use.',
  },
  'unknown-model': {
    ...envelope(404, 'access_denied', 'gateway_error'),
    text: '模型不存在，或当前密钥无权访问该模型。请通过 GET /v1/models 查询可用模型。The model does not exist, or this key may not use it. GET /v1/models lists the models it can use.',
    chinese: '模型不存在，或此密钥无权使用该模型。',
    step: 'model',
    when: 'Instead of 403, on sites with `unknown_model_status: 404`, for clients that expect this status.',
    remedy: 'Call `GET /v1/models` for the models that this key can use.',
  },
  'insufficient-balance': {
    ...envelope(402, 'insufficient_balance', 'gateway_error'),
    text: 'The balance of this account is below the maximum cost of this request. Top it up, or lower max_tokens.',
    // The dashboard shows this text for `key-cap-reached` and `limit-reached` too, because these cases have the same code.
    chinese:
      '账户余额、密钥消费上限或消费限额的剩余额度不足以支付此请求的最高费用。请充值、提高额度，或调低 max_tokens。',
    step: 'inference',
    when: 'The available balance of the account is below the maximum cost of the prompt and `max_tokens` (or the model’s cap).',
    remedy: 'Top up the account, wait for running requests to finish, or send a lower `max_tokens`.',
  },
  'key-cap-reached': {
    ...envelope(402, 'insufficient_balance', 'gateway_error'),
    text: 'The remaining spend cap of this key is below the maximum cost of this request. Ask its owner to raise the cap, or lower max_tokens.',
    chinese: '此密钥的剩余消费额度不足以支付此请求的最高费用。请联系密钥所有者提高消费上限，或调低 max_tokens。',
    step: 'inference',
    when: 'The remaining spend cap of the key is below the maximum cost of the prompt and `max_tokens` (or the model’s cap). The account may have more.',
    remedy: 'Raise the spend cap of the key, use another key, or send a lower `max_tokens`.',
  },
  'limit-reached': {
    ...envelope(402, 'insufficient_balance', 'gateway_error'),
    text: 'The rest of a spend limit is below the maximum cost of this request. Raise the limit, wait until it resets, or lower max_tokens.',
    chinese: '消费限额的剩余额度不足以支付此请求的最高费用。请提高限额、等待限额重置，或调低 max_tokens。',
    step: 'inference',
    when: 'The rest of a limit of the member, the account or the organisation is below the maximum cost of the prompt and `max_tokens` (or the model’s cap). The message names the limit and the time at which it resets.',
    remedy: 'Raise the limit, wait until it resets, or send a lower `max_tokens`.',
  },
  'key-busy': {
    ...envelope(503, 'overloaded', 'gateway_error'),
    text: 'The concurrency limit of this key was reached and no slot became free in time. Please try again later.',
    chinese: '此密钥的并发数已达上限，且未能及时等到并发名额。请稍后重试。',
    step: 'inference',
    when: 'The key has a concurrency limit, and the request waited for a slot for as long as requests may wait.',
    remedy: 'Send fewer requests at once, raise the concurrency limit of the key, or use another key.',
  },
  'not-signed-in': {
    ...envelope(401, 'not_signed_in', 'authentication_error'),
    text: 'You are not signed in, or your session has ended. Sign in and try again.',
    chinese: '您尚未登录，或会话已结束。请登录后重试。',
    step: 'session',
    when: 'Dashboard only: the request needs a session, and there is none or it has ended.',
    remedy: 'Sign in again.',
  },
  'sign-in-refused': {
    ...envelope(401, 'sign_in_refused', 'authentication_error'),
    text: 'The e-mail address or the password is wrong.',
    chinese: '邮箱地址或密码不正确。',
    step: 'session',
    when: 'Dashboard only: a password, a code or a passkey is wrong, or a link was already used or has expired. After several failures, responses are delayed.',
    remedy: 'Check your input. If you cannot sign in, ask an owner or the operator for a new link.',
  },
  forbidden: {
    ...envelope(403, 'forbidden', 'gateway_error'),
    text: 'Your role does not allow this. It needs a higher role.',
    chinese: '您没有权限执行此操作，需要更高的角色。',
    step: 'role',
    when: 'The role of a token or a user of the admin or account API is too low for the request, or a page of another site sent the request.',
    remedy: 'Use a token with a higher role, or ask an owner for that role.',
  },
  'code-refused': {
    ...envelope(400, 'code_refused', 'gateway_error'),
    text: 'This code cannot be redeemed.',
    chinese: '此兑换码无法兑换。',
    step: 'redemption',
    when: 'A redemption code is mistyped, unknown, already redeemed, withdrawn, expired, or for another site or package. The code of the error names the cause: `code_mistyped`, `code_unknown`, `code_used`, `code_used_by_you`, `code_withdrawn`, `code_expired`, `code_elsewhere`, `code_other_package` or `code_suspended`. After several refusals, responses are delayed.',
    remedy: 'Follow the message. A refusal does not use up the code.',
  },
  'account-suspended': {
    ...envelope(403, 'account_suspended', 'gateway_error'),
    text: 'This account is suspended: its keys are rejected and it cannot create new ones. Contact the gateway operator.',
    chinese: '此账户已暂停：其密钥不可用，也不能创建新密钥。请联系网关运营方。',
    step: 'role',
    when: 'An owner or a member of a suspended account requests a new key.',
    remedy: 'Ask the operator to resume the account.',
  },
  'address-not-allowed': {
    ...envelope(403, 'address_not_allowed', 'authentication_error'),
    text: 'This API key is not allowed from your IP address. Ask its owner to allow the address.',
    chinese: '此 API 密钥不允许从您的 IP 地址使用。请联系密钥所有者添加该地址。',
    step: 'key',
    when: 'The key is limited to certain addresses, and the request came from another one.',
    remedy: 'Use the key from an allowed address, or add the address or its range to the key.',
  },
  'unparseable-body': {
    ...envelope(400, '', 'gateway_error'),
    text: 'The request body could not be parsed. Send a JSON object in UTF-8 with Content-Type: application/json.',
    chinese: '请求体无法解析。请发送 UTF-8 编码的 JSON 对象，并使用 Content-Type: application/json。',
    step: 'body',
    when: 'The body is not well-formed JSON in UTF-8, or its Content-Type is not `application/json`.',
    remedy: 'Send valid JSON with `Content-Type: application/json`.',
  },
  'invalid-request': {
    ...envelope(400, 'invalid_request', 'gateway_error'),
    text: 'A field of the request is invalid.',
    chinese: '请求中有字段不符合要求。',
    step: 'body',
    when: 'The body is JSON, but a field is missing, has the wrong type or is out of range.',
    remedy: 'Correct the field that the message names. The same body gets the same error again.',
  },
  conflict: {
    ...envelope(409, 'conflict', 'gateway_error'),
    text: 'The resource was changed after you read it. Read it again, and send its `version` with your change.',
    chinese: '此项在您读取后已被修改。请重新读取，并附上其 `version` 再次提交。',
    step: 'version',
    when: 'A write of the admin or account API has a `version` in `If-Match` that is no longer current; the message names the change and its author. Or a client deletes a response that is still being generated.',
    remedy:
      'Read the resource again, decide what to keep, and send the new `version`; or omit `If-Match` to overwrite it. Delete a response after it is complete.',
  },
  'bad-request': {
    ...envelope(400, 'bad_request', 'gateway_error'),
    text: 'The request is not valid HTTP/1.1.',
    chinese: '请求不是有效的 HTTP/1.1。',
    step: 'connection',
    when: 'The bytes that arrived are not a valid HTTP/1.1 request.',
    remedy: 'Use an HTTP client library, and look for a proxy that rewrites requests.',
  },
  'not-found': {
    ...envelope(404, 'not_found', 'gateway_error'),
    text: 'No endpoint has this path. The endpoints are listed at /docs/api.',
    chinese: '没有此路径的接口。接口列表见 /docs/api。',
    step: 'route',
    when: 'No endpoint has this path.',
    remedy: 'Compare the path and the base address with the list of endpoints.',
  },
  'method-not-allowed': {
    ...envelope(405, 'method_not_allowed', 'gateway_error'),
    text: 'This path does not support this method.',
    chinese: '此路径不支持该方法。',
    step: 'route',
    when: 'The endpoint exists, but does not support this method.',
    remedy: 'Use the method that the `Allow` header names.',
  },
  'request-timeout': {
    ...envelope(408, 'request_timeout', 'gateway_error'),
    text: 'The request did not arrive completely in time. Send it again.',
    chinese: '请求未能及时传输完成，请重新发送。',
    step: 'connection',
    when: 'The headers or the body stopped arriving before they were complete.',
    remedy: 'Send the request again.',
  },
  'body-too-large': {
    ...envelope(413, 'body_too_large', 'gateway_error'),
    text: 'The request body is larger than this gateway accepts.',
    chinese: '请求体超出网关允许的大小。',
    step: 'body',
    when: 'The body is larger than the operator allows.',
    remedy: 'Shorten the conversation.',
  },
  'expectation-failed': {
    ...envelope(417, 'expectation_failed', 'gateway_error'),
    text: 'The Expect header may only be 100-continue.',
    chinese: 'Expect 请求头只能是 100-continue。',
    step: 'connection',
    when: 'The Expect header is not `100-continue`.',
    remedy: 'Omit the Expect header.',
  },
  'upgrade-refused': {
    ...envelope(426, 'upgrade_refused', 'gateway_error'),
    text: 'WebSocket is not supported. Send the same request with POST; with stream: true its events are streamed over HTTP.',
    chinese: '不支持 WebSocket。请用 POST 发送相同的请求；设置 stream: true 后，事件通过 HTTP 返回。',
    step: 'route',
    when: 'A client tries to open a WebSocket.',
    remedy: 'Send `POST /v1/responses`. Clients that support both fall back automatically.',
  },
  'headers-too-large': {
    ...envelope(431, 'headers_too_large', 'gateway_error'),
    text: 'The request line and headers are larger than this gateway accepts.',
    chinese: '请求行和请求头超出网关允许的大小。',
    step: 'connection',
    when: 'The request line and the headers together are too large.',
    remedy: 'Send fewer or shorter headers.',
  },
  'upstream-rejected': {
    ...envelope(400, 'upstream_rejected', 'upstream_error'),
    text: 'The model provider could not process this request. Please try again later.',
    chinese: '上游服务拒绝了此请求。',
    param: '',
    step: 'inference',
    when: 'The model provider refused the forwarded request, often because of a parameter that the model does not support. The code varies with the provider, and `param` is an empty string.',
    remedy:
      'Do not retry the same request: the refusal is permanent, although the message suggests a retry. Remove parameters that the model does not support.',
  },
  'context-overflow': {
    ...envelope(400, 'context_length_exceeded', 'upstream_error'),
    text: 'The model provider could not process this request. Please try again later.',
    chinese: '对话长度超出模型的上下文窗口。',
    param: '',
    step: 'inference',
    when: 'The prompt, or the prompt with its `max_tokens`, exceeds the context window of the model. On the messages surface the message begins with `prompt is too long: N tokens > M maximum`.',
    remedy: 'Shorten or compact the conversation, or choose a model with a larger context window.',
  },
  'upstream-failed': {
    ...envelope(502, 'upstream_failed', 'upstream_error'),
    text: 'The model provider failed to respond. Please try again later.',
    chinese: '上游未能正常响应，请稍后重试。',
    step: 'inference',
    when: 'Every provider that serves the model failed before it began to respond.',
    remedy: 'Retry once or twice with exponential backoff, from 1 second up to 60 seconds at most.',
  },
  'constraint-violated': {
    ...envelope(502, 'constraint_violated', 'upstream_error'),
    text: 'The response of the model violated a constraint of the request, even after re-prompting.',
    chinese: '模型的回答违反了请求的约束，重新提示后仍未改正。',
    step: 'inference',
    when: 'The response violated a constraint that the gateway enforces: arguments that fit a `strict` schema, a call that `tool_choice` requires, JSON of a `response_format`. The model was re-prompted as often as the operator allows, while no part of the violation had been sent. Inside a stream, the error is the last frame.',
    remedy: 'Retry once, simplify the schema, or choose a model that meets the constraint more reliably.',
  },
  'upstream-timeout': {
    ...envelope(504, 'upstream_timeout', 'upstream_error'),
    text: 'The model provider did not respond in time. Please try again later.',
    chinese: '上游响应超时，请稍后重试。',
    step: 'inference',
    when: 'No provider that serves the model began to respond in time.',
    remedy: 'Retry once or twice with exponential backoff, or send smaller requests.',
  },
  overloaded: {
    ...envelope(503, 'overloaded', 'gateway_error'),
    text: 'The gateway is over capacity. Please try again later.',
    chinese: '网关繁忙，请稍后重试。',
    step: 'inference',
    when: 'The request waited for a slot longer than the operator or its client allows; or too many requests were waiting, and its account had the most of them; or the machine had no file descriptor or local port left for a call to a provider; or the gateway could not reach its database for as long as the request may wait; or the account has as many unfinished batches or responses in the background as it may have; or the disk of the gateway has no room for an upload.',
    remedy: 'Retry once or twice with exponential backoff, from 1 second up to 60 seconds at most.',
  },
  'answer-under-way': {
    ...envelope(503, 'answer_under_way', 'gateway_error'),
    text: 'A request with the same Idempotency-Key is still in progress. Try again in a moment.',
    chinese: '使用相同 Idempotency-Key 的请求正在处理中，请稍后重试。',
    step: 'inference',
    when: 'A request with the same `Idempotency-Key` is still in progress, and its response cannot be replayed: the process that generates it cannot be reached, or the response is longer than the replay buffer. The gateway never generates a second response in parallel.',
    remedy: 'Send the request again in a moment, with the same key.',
  },
  'shutting-down': {
    ...envelope(503, 'shutting_down', 'gateway_error'),
    text: 'The gateway is shutting down. Please try again in a moment.',
    chinese: '网关正在关闭，请稍后重试。',
    step: 'connection',
    when: 'This process is being stopped or replaced, and the request would have had to wait or did not finish in time. Inside a stream, the error is the last frame.',
    remedy: 'Retry in a moment, on a new connection.',
  },
  'not-ready': {
    ...envelope(503, 'not_ready', 'gateway_error'),
    text: 'This process is not accepting new requests.',
    chinese: '此进程暂不接受新请求。',
    step: 'readiness',
    when: 'Only from `/readyz`: the store cannot be reached or accepts no charges, the process is shutting down, was blocked, or lacks memory or another resource that requests need. `checks` names the cause.',
    remedy: 'Send requests to another process until this one responds with 200 again.',
  },
  'internal-error': {
    ...envelope(500, 'internal_error', 'gateway_error'),
    text: 'An internal error occurred in the gateway. If it persists, send the request ID to the gateway operator.',
    chinese: '网关发生内部错误。如果持续出现，请将请求 ID 提供给网关运营方。',
    step: 'connection',
    when: 'An internal error of the gateway.',
    remedy:
      'Retry once or twice with exponential backoff; if it persists, send the request ID to the gateway operator.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCase = keyof typeof errorTable;

/** What a client receives besides the text. */
function envelope<const Code extends string, Type extends ErrorRow['type']>(status: number, code: Code, type: Type) {
  return { status, code, type };
}
