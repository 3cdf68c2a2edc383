import { Card, Text, Title } from '@mantine/core';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './request.module.css';
import { type Detail, useProviderName } from './detail.ts';
import { type Bar, type BarKind, type Timeline, timelineOf } from './timeline.ts';

/** The timing of a request, to scale. */
export function TimelineCard({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const timeline = timelineOf(detail);
  return (
    <Card component="section" aria-label={t('request.timeline')}>
      <Title order={2} size="h3">
        {t('request.timeline')}
      </Title>
      <Text fz="sm" c="dimmed" mb="md">
        {t(timeline ? 'request.timelineHelp' : 'request.noTimeline')}
      </Text>
      {timeline && <TimelineChart timeline={timeline} />}
    </Card>
  );
}

function TimelineChart({ timeline }: { readonly timeline: Timeline }) {
  const { t } = useText();
  const format = useFormat();
  const nameOf = useProviderName();
  const { spanMs, rows, ticksMs, firstByteMs } = timeline;
  const at = (ms: number) => ({ left: `${(ms / spanMs) * 100}%` });
  const kinds = [...new Set(rows.flatMap(({ bars }) => bars.map(({ kind }) => kind)))];
  return (
    <>
      <div className={classes['timeline']}>
        {rows.map(({ provider, bars }, index) => (
          // The key is the index: a provider may be called twice.
          <div key={index} className={classes['row']}>
            <div className={classes['who']} title={provider}>
              {provider === undefined ? t('request.gateway') : nameOf(provider)}
            </div>
            <ul className={classes['track']}>
              {bars.map((bar) => (
                <BarItem key={bar.kind} bar={bar} spanMs={spanMs} />
              ))}
              {firstByteMs !== null && <li aria-hidden className={classes['mark']} style={at(firstByteMs)} />}
            </ul>
          </div>
        ))}
        <div className={classes['row']} aria-hidden>
          <div className={classes['who']} />
          <div className={classes['axis']}>
            {ticksMs.map((ms) => (
              <span key={ms} className={classes['tick']} data-last={ms > spanMs * 0.95 || undefined} style={at(ms)}>
                {format.duration(ms)}
              </span>
            ))}
          </div>
        </div>
      </div>
      <ul className={classes['legend']}>
        {kinds.map((kind) => (
          <li key={kind}>
            <span className={`${classes['dot']} ${classes[kind]}`} />
            {t(`request.${kind}`)}
          </li>
        ))}
        {firstByteMs !== null && (
          <li>
            <span className={classes['markDot']} />
            {t('request.firstByte')}: {format.duration(firstByteMs)}
          </li>
        )}
        <li>
          {t('request.end')}: {format.duration(spanMs)}
        </li>
      </ul>
    </>
  );
}

function BarItem({ bar: { kind, fromMs, toMs }, spanMs }: { readonly bar: Bar; readonly spanMs: number }) {
  const { t } = useText();
  const format = useFormat();
  const words = t('request.barLabel', {
    what: t(`request.${kind satisfies BarKind}`),
    from: format.duration(fromMs),
    to: format.duration(toMs),
  });
  const position = { left: `${(fromMs / spanMs) * 100}%`, width: `${((toMs - fromMs) / spanMs) * 100}%` };
  return (
    <li className={`${classes['bar']} ${classes[kind]}`} style={position} title={words}>
      <span className={classes['hidden']}>{words}</span>
    </li>
  );
}
