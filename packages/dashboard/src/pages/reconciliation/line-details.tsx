import { Stack, Text } from '@mantine/core';
import type { ReconciledLine } from '../../api/wire.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { type PageTranslate, usePageText } from '../../text/page-text.ts';
import { useShownFigure } from './figures.ts';
import classes from './reconciliation.module.css';
import { figureNames, lineName } from './result-lines.ts';
import { figureLabels, texts } from './texts.ts';

type Reason = ReconciledLine['requests'][number]['reasons'][number];

/** The most telling explanation of a difference, in a few words. */
export function lineSummary({ reasons }: ReconciledLine, t: PageTranslate<typeof texts>): string {
  const counts = Object.entries(reasons) as [Reason, number][];
  if (counts.length === 0) return t('unexplained');
  return counts.map(([reason, count]) => t('reasonCount', { reason: t(reason), count })).join(', ');
}

/** Both sides of a line, and the requests that explain its difference. */
export function LineDetails({ line, currency }: { readonly line: ReconciledLine; readonly currency: string }) {
  const t = usePageText(texts);
  const shown = useShownFigure(currency);
  const { own, different, requests } = line;
  return (
    <Stack gap="md">
      <Sides line={line} currency={currency} />
      <Text fz="sm" c="dimmed">
        {t('attempts', { count: own.attempts, failed: own.failed_attempts })} · {t('charged')}: {shown(line.charged)}
      </Text>
      {different.length > 0 && requests.length === 0 && <Text fz="sm">{t('unexplained')}</Text>}
      {requests.length > 0 && <Requests requests={requests} />}
    </Stack>
  );
}

/** Not a table, because the styles of the table around it would apply to it. */
function Sides({ line, currency }: { readonly line: ReconciledLine; readonly currency: string }) {
  const t = usePageText(texts);
  const shown = useShownFigure(currency);
  const figures = figureNames.filter((name) => line.invoice[name] !== null || line.own[name] !== null);
  const head = ['', t('invoice'), t('gateway'), t('difference')];
  return (
    <div className={classes['scroll']} tabIndex={0} role="region" aria-label={lineName(line)}>
      <div className={classes['sides']} role="table" aria-label={lineName(line)}>
        <div role="row">
          {head.map((name) => (
            <span key={name} role={name === '' ? 'cell' : 'columnheader'}>
              {name}
            </span>
          ))}
        </div>
        {figures.map((name) => (
          <div key={name} role="row">
            <span role="rowheader">{t(figureLabels[name])}</span>
            <span role="cell">{shown(line.invoice[name])}</span>
            <span role="cell">{shown(line.own[name])}</span>
            <span role="cell">{shown(line.difference[name], 'signed')}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

function Requests({ requests }: Pick<ReconciledLine, 'requests'>) {
  const t = usePageText(texts);
  const format = useFormat();
  return (
    <div>
      <Text fz="sm" fw={560} mb={4}>
        {t('requests')}
      </Text>
      <ul className={classes['requests']}>
        {requests.map(({ id, started_at: startedAt, reasons, tokens }) => (
          <li key={id}>
            <ViewAnchor to={`/app/operator/requests/${id}`} fz="sm" className={classes['id'] ?? ''}>
              {id}
            </ViewAnchor>
            <Text span fz="sm">
              {reasons.map((reason) => t(reason)).join(', ')}
            </Text>
            <Text span fz="xs" c="dimmed">
              <When at={startedAt} as="date-time" /> · {format.number(tokens)} {t('tokens')}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  );
}
