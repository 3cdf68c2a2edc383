/**
 * The attribute names of spans: OpenTelemetry's conventions for generative AI, and names of the gateway for everything
 * else. The conventions are still in development: if a name changes, it changes here.
 */
export const traceNames = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  errorType: 'error.type',
  status: 'http.response.status_code',
  requestId: 'gateway.request.id',
  surface: 'gateway.surface',
  model: 'gateway.model',
  package: 'gateway.package',
  upstream: 'gateway.upstream',
  credential: 'gateway.credential',
  clientGone: 'gateway.client_gone',
} as const;

/**
 * The span names of the parts of a request. Spans of provider calls are named by operation and model, as in the
 * conventions.
 */
export const spanNames = {
  wait: 'wait for a slot',
  firstContent: 'first content',
  settlement: 'settlement',
} as const;
