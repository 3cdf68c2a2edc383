import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { WarningIcon } from '../../icons.tsx';
import { useErrorText } from '../../text/error-text.ts';
import { useText } from '../../text/text.tsx';
import { type AnswerPart, callsOf } from './answer.ts';
import { AnswerActions } from './answer-actions.tsx';
import { AnswerFigures } from './answer-figures.tsx';
import { CallCards } from './call-cards.tsx';
import classes from './playground.module.css';
import { RenderedText } from './rendered-text.tsx';
import type { Run } from './run.ts';
import type { ToolResult } from './turn.ts';

export interface AnswerViewProps {
  readonly run: Run;
  readonly isLast: boolean;
  readonly onResults: (results: readonly ToolResult[]) => void;
  readonly onRetry: () => void;
}

/** One answer: reasoning (collapsed), text, tool calls, how it ended, and its figures. */
export function AnswerView({ run, isLast, onResults, onRetry }: AnswerViewProps) {
  const { t } = useText();
  const { parts } = run.answer;
  const calls = callsOf(run.answer);
  const isRunning = run.state === 'running';
  return (
    <Stack gap="sm" aria-busy={isRunning}>
      <Text fz="xs" c="dimmed">
        {run.answer.model ?? t('playground.assistant')}
      </Text>
      {parts.map((part, index) => (
        // Parts are only appended, so the index is a stable key.
        <Part key={index} part={part} isGrowing={isRunning && index === parts.length - 1} />
      ))}
      {isRunning && parts.length === 0 && (
        <div role="status" aria-label={t('playground.waiting')}>
          <Skeleton height={12} width="62%" mb={8} />
          <Skeleton height={12} width="40%" />
        </div>
      )}
      {calls.length > 0 && (
        <CallCards calls={calls} canAnswer={isLast && run.state === 'whole'} onResults={onResults} />
      )}
      <EndNotice run={run} />
      {!isRunning && <AnswerActions answer={run.answer} {...(isLast && { onRetry })} />}
      {!isRunning && <AnswerFigures run={run} />}
    </Stack>
  );
}

function Part({ part, isGrowing }: { readonly part: AnswerPart; readonly isGrowing: boolean }) {
  const { t } = useText();
  switch (part.kind) {
    case 'text':
      return part.text === '' ? null : <RenderedText text={part.text} isGrowing={isGrowing} />;
    case 'thinking':
      return (
        // Open while the reasoning streams in. It collapses when the answer begins, unless the user opened it.
        <details className={classes['thinking']} open={isGrowing || undefined}>
          <summary>{t('playground.thinkingShown')}</summary>
          <div className={classes['thought']}>{part.text}</div>
        </details>
      );
    case 'sealed-thinking':
      return (
        <Text fz="sm" c="dimmed">
          {t('playground.reasoningEncrypted')}
        </Text>
      );
    case 'call':
      return null;
    default:
      return part satisfies never;
  }
}

function EndNotice({ run }: { readonly run: Run }) {
  const { t } = useText();
  const textOf = useErrorText();
  if (run.state === 'running' || run.state === 'whole') return null;
  if (run.state === 'stopped' || run.state === 'left') {
    return (
      <Text fz="sm" c="dimmed">
        {t(run.state === 'left' ? 'playground.pageLeft' : 'playground.stopped')}
      </Text>
    );
  }
  const text = run.error ? textOf(run.error) : t('playground.streamIncomplete');
  const hasBegun = run.answer.parts.length > 0 || run.state === 'cut';
  return (
    <Alert
      color="red"
      icon={<WarningIcon />}
      role="alert"
      title={`${t(hasBegun ? 'playground.interruptedTitle' : 'playground.failedTitle')}${run.error?.code ? ` · ${run.error.code}` : ''}`}
    >
      <Text fz="sm">{run.isSuspended ? t('keys.suspendedHelp') : text}</Text>
    </Alert>
  );
}
