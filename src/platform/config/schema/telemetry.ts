import { optional, prefault, z } from 'zod';
import { bool, choice, webUrl } from './fields.ts';

const tracesSchema = z.strictObject({
  endpoint: optional(webUrl)
    .describe(
      'Base address of an OTLP/HTTP collector; `/v1/traces` is appended if it is missing. If left out, traces are sent only if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set. Headers, timeouts and certificates come from the usual `OTEL_EXPORTER_OTLP_…` variables, the service name from `OTEL_SERVICE_NAME`.',
    )
    .meta({ title: 'an address', sample: 'http://collector:4318' }),
  sample: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'Share of requests that are traced, from 0 to 1. If a client sends `traceparent`, its sampling decision counts instead. If left out, `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` decide; without those, all requests are traced.',
    )
    .meta({ title: 'a number from 0 to 1', sample: 0.01 }),
});

export const telemetrySchema = z.strictObject({
  metrics: prefault(bool, true).describe(
    'Whether metrics are collected and served at `GET /metrics`: without a token on `listen.health_port`, and with an operator’s token on the main port.',
  ),
  metrics_detail: choice(['usual', 'full'], 'usual').describe(
    'How many labels and buckets metrics have. With `usual`, each model adds at most 40 series for one endpoint, package and route. `full` adds buckets for tokens, finer buckets for the first and the next chunks, and the labels `gen_ai_request_model`, `model` and `constraint` where `docs/metrics.md` says so: well over a hundred series per model.',
  ),
  traces: prefault(tracesSchema, {}).describe(
    'Traces of requests, for OpenTelemetry: a span for each request, named by endpoint and model, and below it a client span for each call to a provider, as in the conventions for generative AI (`chat MODEL`). They never contain a prompt or an answer.',
  ),
});
