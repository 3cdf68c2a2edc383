import { ActionIcon, Alert, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import type { OwnRequestDetail } from '../../api/wire.ts';
import { CopyButton } from '../../components/copy-field.tsx';
import { Money } from '../../components/money.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RefreshIcon, WarningIcon } from '../../icons.tsx';
import { useErrorText } from '../../text/error-text.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { type AnswerPart, callsOf, type PlaygroundAnswer, textIn, type ToolResult } from './answer.ts';
import { CallCards } from './call-cards.tsx';
import classes from './playground.module.css';
import { RenderedText } from './rendered-text.tsx';
import type { Run } from './run.ts';

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
          <div className={classes['reasoning']}>{part.text}</div>
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

/** The balance of the account, or the spend cap of the key, is used up. */
const paymentRequired = 402;

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
      {run.status === paymentRequired && (
        <ViewAnchor to="/app/billing" fz="sm" underline="always">
          {t('overview.seeBilling')}
        </ViewAnchor>
      )}
    </Alert>
  );
}

interface AnswerActionsProps {
  readonly answer: PlaygroundAnswer;
  /** Requests the answer again and replaces it. Only for the last answer. */
  readonly onRetry?: () => void;
}

/** The actions of an answer: copy it, or generate it again. */
function AnswerActions({ answer, onRetry }: AnswerActionsProps) {
  const { t } = useText();
  const text = textIn(answer.parts);
  return (
    <Group gap={0} mx={-8} my={-8}>
      {text !== '' && <CopyButton text={text} label={t('playground.copyResponse')} />}
      {onRetry && (
        <Tooltip label={t('playground.regenerate')}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('playground.regenerate')} onClick={onRetry}>
            <RefreshIcon />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}

/** Time, tokens and cost of an answer, and a link to its request. */
function AnswerFigures({ run }: { readonly run: Run }) {
  const { t } = useText();
  const format = useFormat();
  const { usage, finish } = run.answer;
  const { firstTokenMs, durationMs, requestId } = run;
  const detail = useRequestDetail(requestId);
  const perSecond = speed(run);
  return (
    <div className={classes['figures']}>
      <dl className={classes['figureList']}>
        {firstTokenMs !== undefined && (
          <Figure name={t('playground.firstToken')}>{format.duration(firstTokenMs)}</Figure>
        )}
        {durationMs !== undefined && <Figure name={t('playground.duration')}>{format.duration(durationMs)}</Figure>}
        {usage?.promptTokens !== undefined && (
          <Figure name={t('playground.tokensIn')}>
            {format.number(usage.promptTokens)}
            {Boolean(usage.cachedTokens) && ` (${t('playground.cachedOf', { count: usage.cachedTokens ?? 0 })})`}
          </Figure>
        )}
        {usage?.completionTokens !== undefined && (
          <Figure name={t('playground.tokensOut')}>
            {format.number(usage.completionTokens)}
            {Boolean(usage.reasoningTokens) &&
              ` (${t('playground.reasoningTokens', { count: usage.reasoningTokens ?? 0 })})`}
          </Figure>
        )}
        {perSecond !== undefined && (
          <Figure name={t('playground.speed')}>{t('playground.perSecond', { count: perSecond })}</Figure>
        )}
        {detail && (
          <Figure name={t('playground.cost')}>
            <Money amount={detail.cost} />
          </Figure>
        )}
        {finish !== undefined && <Figure name={t('playground.finish')}>{finish}</Figure>}
      </dl>
      {requestId && (
        <ViewAnchor to={`/app/requests/${requestId}`} fz="sm">
          {t('playground.seeRequest')}
        </ViewAnchor>
      )}
    </div>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const triesMax = 8;

/** The record is written shortly after the answer ends. With a key of another account, it is not visible. */
function useRequestDetail(requestId: string | undefined): OwnRequestDetail | undefined {
  return useRead<OwnRequestDetail>(
    `/account/v1/requests/${requestId}`,
    {},
    {
      enabled: requestId !== undefined,
      refetchInterval: ({ state }) =>
        state.data?.state === 'recorded' || state.dataUpdateCount + state.errorUpdateCount >= triesMax ? false : 600,
    },
  ).data;
}

/** Tokens per second after the first one. Undefined if the answer is too short to measure. */
function speed({ answer, firstTokenMs, durationMs }: Run): number | undefined {
  const tokens = answer.usage?.completionTokens;
  if (tokens === undefined || firstTokenMs === undefined || durationMs === undefined) return undefined;
  const seconds = (durationMs - firstTokenMs) / 1000;
  return seconds < 0.05 || tokens < 2 ? undefined : Math.round(tokens / seconds);
}
