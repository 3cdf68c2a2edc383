import { recordWith } from '../../test/fixtures/requests/record.ts';
import { LabelValues } from '../../src/operate/telemetry/label-values.ts';
import { Recorder } from '../../src/operate/telemetry/metrics/recorder.ts';
import { SurfaceNames } from '../../src/operate/telemetry/traces/surface-name.ts';
import type { Micro } from './measure.ts';

const configured = {
  catalog: { all: () => [{ id: 'acme-2026' }], packages: () => ['standard'] },
  upstreams: [{ name: 'acme', kind: 'openai' }],
};

const attempt = {
  upstream: 'acme',
  model: 'large',
  credential: 0,
  waitMs: 0.02,
  pauseMs: 0,
  beganMs: 1000.3,
  endedMs: 1020.1,
  firstEventMs: 19.8,
  status: 200,
  error: undefined,
};

const record = recordWith({
  id: 'r',
  packageName: 'standard',
  uploadMs: 0,
  cost: 1_000_000n,
  measured: {
    startedMs: 1000,
    attempts: [attempt],
    queueTimeoutMs: undefined,
    answeredMs: 1100.5,
    settledMs: 1101,
    pieces: 20,
  },
});

const done = {
  id: 'r',
  method: 'POST',
  path: '/v1/chat/completions',
  address: '::1',
  status: 200,
  durationMs: 101,
  error: undefined,
  clientGone: false,
};

const recorder = new Recorder({
  labels: new LabelValues(() => configured),
  surfaces: new SurfaceNames('/anthropic'),
  currency: 'USD',
  detail: 'usual',
});

/** Five histograms and nine counters of one request, as plain numbers. */
const figures = new Float64Array(64);

/** The cost of metrics for a request. */
export const metricsMicros: readonly Micro[] = [
  {
    name: 'count a request for metrics',
    floorName: 'the additions alone',
    work: () => {
      recorder.exchanged(done);
      recorder.served(record);
    },
    floor: () => {
      for (let index = 0; index < 24; index += 1) figures[index] = (figures[index] ?? 0) + 1;
      return figures[0];
    },
  },
];
