import { Stack, Text } from '@mantine/core';
import type { ReconciledLine } from '../../api/wire.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { type PageTranslate, usePageText } from '../../text/page-text.ts';
import { useShownFigure } from './figures.ts';
import classes from './reconciliation.module.css';
import { figureNames, lineName } from './result-lines.ts';
import { texts } from './texts.ts';

type Reason = ReconciledLine['requests'][number]['reasons'][number];

/** The most telling explanation of a difference, in a few words. */
export function lineSummary({ hints, reasons }: ReconciledLine, t: PageTranslate<typeof texts>): string {
  const [hint] = hints;
  if (hint?.hint === 'doubled') return t('doubledShort');
  if (hint) return t('movedShort', { line: lineName(hint) });
  const counts = Object.entries(reasons) as [Reason, number][];
  if (counts.length === 0) return t('unexplained');
  return counts.map(([reason, count]) => t('reasonCount', { reason: t(reason), count })).join(', ');
}

/** Both sides of a line, and the requests that explain its difference. */
export function LineDetails({ line, currency }: { readonly line: ReconciledLine; readonly currency: string }) {
  const t = usePageText(texts);
  const { own, hints, different, requests } = line;
  return (
    <Stack gap="md">
      <Sides line={line} currency={currency} />
      <Text fz="sm" c="dimmed">
        {t('attempts', { count: own.attempts, failed: own.failed_attempts })}
      </Text>
      {hints.map((hint) => (
        <Text key={`${hint.hint} ${lineName(hint)}`} fz="sm">
          {hint.hint === 'doubled' ? t('doubled') : t('moved', { line: lineName(hint) })}
        </Text>
      ))}
      {different.length > 0 && hints.length === 0 && requests.length === 0 && <Text fz="sm">{t('unexplained')}</Text>}
      {requests.length > 0 && <Requests requests={requests} />}
    </Stack>
  );
}

function Sides({ line, currency }: { readonly line: ReconciledLine; readonly currency: string }) {
  const t = usePageText(texts);
  const shown = useShownFigure(currency);
  const figures = figureNames.filter((name) => line.invoice[name] !== null || line.own[name] !== null);
  const head = { input_tokens: 'input', cached_tokens: 'cached', output_tokens: 'output', cost: 'cost' } as const;
  const rows = [
    { name: t('invoice'), side: line.invoice },
    { name: t('gateway'), side: line.own },
    { name: t('difference'), side: line.difference, sign: 'signed' },
  ] as const;
  return (
    <div className={classes['scroll']} tabIndex={0} role="region" aria-label={lineName(line)}>
      <table className={classes['sides']}>
        <thead>
          <tr>
            <td />
            {figures.map((name) => (
              <th key={name} scope="col">
                {t(head[name])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, side, ...row }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {figures.map((figure) => (
                <td key={figure}>{shown(side[figure], 'sign' in row ? row.sign : undefined)}</td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">{t('charged')}</th>
            {figures.map((figure) => (
              <td key={figure}>{figure === 'cost' ? shown(line.charged) : ''}</td>
            ))}
          </tr>
        </tbody>
      </table>
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
