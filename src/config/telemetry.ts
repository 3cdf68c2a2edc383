import { z } from 'zod';

const tracesSchema = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Base address of an OTLP/HTTP receiver; `/v1/traces` is appended unless it ends so. Without it traces are sent if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set. Headers, time-outs and certificates come from the usual `OTEL_EXPORTER_OTLP_…` variables, the name of the service from `OTEL_SERVICE_NAME`.',
    )
    .meta({ title: 'an address', sample: 'http://collector:4318' }),
  sample: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'The part of requests that is traced; a request whose client says in `traceparent` whether it is traced is treated alike. Without it `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` count, and without those all are traced.',
    )
    .meta({ title: 'a part of 1', sample: 0.01 }),
});

/** What can be seen of the gateway from outside. */
export const telemetrySchema = z.strictObject({
  metrics: z
    .boolean()
    .prefault(true)
    .describe(
      'Whether figures are counted and served at `GET /metrics`: to anybody on `listen.health_port`, and on the main port to whoever has an operator’s token.',
    ),
  metrics_detail: z
    .enum(['usual', 'full'])
    .prefault('usual')
    .describe(
      'How closely figures are told apart. `usual` bounds what each model adds to at most 40 series, for one endpoint, package and route; `full` adds buckets for tokens, finer ones for the first and the next pieces, and `gen_ai_request_model`, `model` and `promise` where `docs/metrics.md` says so: well over a hundred series a model.',
    ),
  traces: tracesSchema
    .prefault({})
    .describe(
      'Traces of requests, for OpenTelemetry: a span for each request, named by endpoint and model, and below it a client span for each call of a provider, as the conventions for generative AI have it (`chat MODEL`). They never hold a prompt or an answer.',
    ),
});
