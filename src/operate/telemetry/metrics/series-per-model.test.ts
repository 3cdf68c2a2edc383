import { expect, test } from 'vitest';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { ConstraintName, ConstraintOutcome } from 'chat-formats/chat/guarantee.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import type { MeasuredAttempt } from '../../../core/request-trace.ts';
import { LabelValues } from '../label-values.ts';
import type { Detail } from './metric-set.ts';
import { Recorder } from './recorder.ts';
import type { SeriesSample } from './series.ts';
import { SurfaceNames } from '../traces/surface-name.ts';

/** The most series a scrape may have for one model. Prometheus keeps every series for hours. */
const seriesMax = 40;

const configured = {
  catalog: { all: () => [{ id: 'acme-2026' }, { id: 'beta-2026' }], packages: () => ['standard'] },
  upstreams: [{ name: 'acme', kind: 'openai' }],
};

const attempt: MeasuredAttempt = {
  upstream: 'acme',
  model: 'large',
  credential: 0,
  waitMs: 1,
  pauseMs: 0,
  beganMs: 1000,
  endedMs: 1020,
  firstEventMs: 20,
  status: 200,
  error: undefined,
};
const constraints: readonly ConstraintName[] = ['stop', 'max_tokens', 'strict', 'tool_choice', 'json'];
const outcomes: readonly ConstraintOutcome[] = ['met', 'repaired', 'reprompted', 'violated'];
const errors = ['upstream-failed', 'upstream-timeout', 'overloaded', 'context-overflow', 'internal-error'] as const;

/** Records every possible outcome of requests of one model, at one endpoint and for one package. */
function counted(detail: Detail): readonly SeriesSample[] {
  const labels = new LabelValues(() => configured);
  const recorder = new Recorder({ labels, surfaces: new SurfaceNames('/anthropic'), currency: 'USD', detail });
  const measured = { startedMs: 990, queueTimeoutMs: undefined, answeredMs: 1100, settledMs: 1101, pieces: 20 };
  const all = constraints.flatMap((constraint) =>
    outcomes.map((outcome) => ({ model: 'acme-2026', constraint, outcome })),
  );
  for (const status of [200, 400, 500, 0]) {
    for (const error of [undefined, ...errors.map((each) => new GatewayError(each))]) {
      const attempts = [...(error ? [{ ...attempt, error }] : []), attempt];
      const fallbacks = [{ from: 'acme-2026', to: 'beta-2026', reason: 'failure' as const }];
      recorder.served(
        recordWith({
          id: 'r',
          model: 'acme-2026',
          packageName: 'standard',
          status,
          cost: 1n,
          promptTokens: 5,
          completionTokens: 7,
          calls: { seen: 3, parsed: 1, repaired: 1, failed: 1 },
          constraints: all,
          measured: { ...measured, attempts, fallbacks },
        }),
      );
    }
  }
  const isOfModel = ({ labels: { model, gen_ai_request_model } }: SeriesSample) =>
    model === 'acme-2026' || gen_ai_request_model === 'acme-2026';
  return recorder.families().flatMap(({ values }) => values.filter(isOfModel));
}

test('a model has a bounded number of series, regardless of the outcomes of its requests', () => {
  expect(counted('usual').length).toBeLessThanOrEqual(seriesMax);
});

test('full detail has every label and every bucket', () => {
  const full = counted('full');
  expect(full.length).toBeGreaterThan(106);
  expect(full.some(({ labels }) => labels['constraint'] === 'json')).toBe(true);
  expect(full.some(({ labels }) => labels['error_type'] === 'upstream-timeout')).toBe(true);
});
