import { Progress, Stack, Text } from '@mantine/core';
import { StatusLabel, type StatusTone } from '../../components/status.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { doneOf, type ListedBatch } from './scope.ts';
import { texts } from './texts.ts';

type State = ListedBatch['state'];

const tones: Readonly<Record<State, StatusTone>> = {
  validating: 'neutral',
  in_progress: 'neutral',
  finalizing: 'neutral',
  cancelling: 'warning',
  completed: 'good',
  failed: 'bad',
  expired: 'warning',
  cancelled: 'off',
};

/** In their order. */
export const batchStates = Object.keys(tones) as readonly State[];

export function BatchState({ state }: Pick<ListedBatch, 'state'>) {
  return <StatusLabel tone={tones[state]}>{usePageText(texts)(state)}</StatusLabel>;
}

/** Requests with an outcome, as a bar and as numbers. */
export function BatchProgress({ batch }: { readonly batch: ListedBatch }) {
  const p = usePageText(texts);
  const format = useFormat();
  const { total } = batch.counts;
  if (total === 0) return '–';
  const values = { done: format.number(doneOf(batch)), total: format.number(total) };
  return (
    <Stack gap={4} miw={96}>
      <Progress
        size="sm"
        value={(100 * doneOf(batch)) / total}
        color={batch.ended_at === null ? undefined : 'gray.5'}
        aria-label={p('progressLabel', values)}
      />
      <Text span fz="xs" c="dimmed">
        {p('progressOf', values)}
      </Text>
    </Stack>
  );
}
