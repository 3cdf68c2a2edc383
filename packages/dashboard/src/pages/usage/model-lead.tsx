import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useRead } from '../../api/queries.ts';
import { useText } from '../../text/text.tsx';
import { midnight } from '../../text/wall-clock.ts';
import type { UsageScope } from './scope.ts';
import type { Usage } from './usage-line.ts';

// Only models with requests have a chart.
const ModelUsage = lazy(() => import('./model-usage.tsx'));

/** The length of the range of a model's usage, and of the period before it. */
const modelDays = 30;
const everyMs = 60_000;

export interface ModelLeadProps {
  readonly scope: UsageScope;
  /** Undefined while the model loads. */
  readonly model: string | undefined;
}

/** The usage of a model in the last 30 days. Undefined until it is known, null if there was none. */
export function useModelLead({ scope, model }: ModelLeadProps): ReactNode | undefined {
  const { timeZone } = useText();
  const since = midnight(new Date().setMinutes(0, 0, 0), 1 - 2 * modelDays, timeZone).toISOString();
  const query = { by: 'model', value: model, interval: 'day', zone: timeZone, since };
  const { data: usage, error } = useRead<Usage>(scope.api, query, {
    refetchInterval: everyMs,
    enabled: model !== undefined,
  });
  const line = usage?.lines.find(({ kind, value }) => kind === 'value' && value === model);
  if (!usage && !error) return undefined;
  if (!usage || !line || model === undefined) return null;
  return (
    <Suspense fallback={<Skeleton h={leadHeight} radius="lg" />}>
      <ModelUsage scope={scope} model={model} usage={usage} line={line} days={modelDays} />
    </Suspense>
  );
}

/** On a phone the figures stand above the chart. */
const leadHeight = { base: 364, sm: 244 };
