/** The fields of a request's log line, in this order. `scripts/log-docs.ts` writes this table to `docs/logs.md`. */
export const requestLineNames = {
  id: 'The request’s id, as in `x-gateway-request-id` and in every error message.',
  method: 'The HTTP method.',
  path: 'The path, without the query. Secrets in it are truncated.',
  address: 'The client’s IP address.',
  status: 'The status that was sent, 0 if none was sent.',
  ms: 'Milliseconds from the first byte of the request to the last byte of the reply.',
  gone: '`true` if the client disconnected before the reply was complete.',
  case: 'The case of [the error table](errors.md) that the request ended with, also if status 200 had been sent before.',
  account: 'The account’s id.',
  key: 'The key’s id.',
  package: 'The account’s package.',
  model: 'The model’s id in the catalog.',
  upstream: 'The upstream that answered, or the last one tried.',
  attempts: 'Number of calls to upstreams.',
  wait_ms: 'Milliseconds spent waiting for slots.',
  first_byte_ms: 'Milliseconds until the answer began.',
  input_tokens: 'Tokens of the prompt, as charged.',
  output_tokens: 'Tokens of the answer, as charged.',
  finish: 'Why the answer ended: the provider’s finish reason, unchanged.',
  cause: 'Only for failures: the underlying error, for operators. It may contain text of the provider.',
} as const;

export const lineNames = {
  level: '`trace`, `debug`, `info`, `warn`, `error` or `fatal`.',
  time: 'Milliseconds since 1970. In the text format: date and time in UTC.',
  worker: 'The number of the worker that wrote the line, if there are several workers.',
  msg: 'The message: `request` or `request failed` for the line of a request.',
} as const;

export type RequestLineName = keyof typeof requestLineNames;
