import { expect, test } from 'vitest';
import { traceSettings } from './trace-settings.ts';

const settings = (traces: { endpoint?: string; sample?: number }, env = {}) =>
  traceSettings({ telemetry: { metrics: true, metricsDetail: 'usual', traces } }, env);

test('without an endpoint, no request is traced', () => {
  expect(settings({})).toBeUndefined();
  expect(settings({ sample: 1 }, { OTEL_TRACES_SAMPLER: 'always_on' })).toBeUndefined();
  expect(settings({ endpoint: 'http://c:4318' }, { OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(settings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
});

test('the file names a base address, and the path is appended once', () => {
  for (const endpoint of ['http://c:4318', 'http://c:4318/', 'http://c:4318/v1/traces']) {
    expect(settings({ endpoint })?.url).toBe('http://c:4318/v1/traces');
  }
  expect(settings({}, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c' })?.url).toBeUndefined();
});

test.for([
  [undefined, undefined, 1, true],
  ['always_on', undefined, 1, false],
  ['always_off', undefined, 0, false],
  ['traceidratio', '0.25', 0.25, false],
  ['parentbased_traceidratio', '0.25', 0.25, true],
  ['parentbased_always_off', '0.25', 0, true],
  ['parentbased_traceidratio', 'nonsense', 1, true],
] as const)('the sampler %s with %s', ([sampler, argument, share, followsClient]) => {
  const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
  expect(settings({ endpoint: 'http://c' }, env)).toMatchObject({ share, followsClient });
  expect(settings({ endpoint: 'http://c', sample: 0.5 }, env)).toMatchObject({ share: 0.5, followsClient: true });
});
