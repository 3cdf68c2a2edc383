/** What the line of a request says, in this order. `docs/logs.md` is this table. */
export const requestLineNames = {
  id: 'The request’s id, as in `x-gateway-request-id` and in every error message.',
  method: 'The HTTP method.',
  path: 'The path, without the query; what is a secret in it is cut short.',
  address: 'Where the request came from.',
  status: 'The status that was sent; 0 if none was.',
  ms: 'Milliseconds from its first byte to the last one of the reply.',
  gone: '`true` where the client left before the reply was complete.',
  case: 'The case of [the error table](errors.md) it ended with; also where 200 had gone out before.',
  account: 'The account’s id.',
  key: 'The key’s id.',
  package: 'The account’s package.',
  model: 'The model’s id in the catalog.',
  upstream: 'The upstream that answered, or was tried last.',
  attempts: 'How many calls were made.',
  wait_ms: 'How long it waited for turns.',
  first_byte_ms: 'When its answer began.',
  input_tokens: 'Tokens of the prompt, as charged.',
  output_tokens: 'Tokens of the answer, as charged.',
  finish: 'Why the answer ended, in the provider’s word.',
  cause: 'Only of failures: what went wrong underneath, for operators’ eyes. It may have words of the provider in it.',
} as const;

/** What every line says. */
export const lineNames = {
  level: '`trace`, `debug`, `info`, `warn`, `error` or `fatal`.',
  time: 'Milliseconds since 1970; in the form for people, the time of day in UTC.',
  worker: 'Which worker wrote it, where there are several.',
  msg: 'What happened; `request` or `request failed` for the line of a request.',
} as const;

export type RequestLineName = keyof typeof requestLineNames;
