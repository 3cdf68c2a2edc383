import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { OwnRequestDetail } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { Money } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './playground.module.css';
import type { Run } from './run.ts';

/** Time, tokens and cost of an answer, and a link to its request. */
export function AnswerFigures({ run }: { readonly run: Run }) {
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
            {Boolean(usage.reasoningTokens) && ` (${t('playground.thoughtOf', { count: usage.reasoningTokens ?? 0 })})`}
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
        <Anchor component={Link} to={`/app/requests/${requestId}`} fz="sm">
          {t('playground.seeRequest')}
        </Anchor>
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
