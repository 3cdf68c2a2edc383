import { Text } from '@mantine/core';
import { useSession } from '../api/session.ts';
import type { LimitWindow } from '../api/wire.ts';
import { useFormat } from '../text/format.ts';
import { usePageText } from '../text/page-text.ts';
import { texts } from './limit-texts.ts';
import classes from './limit-windows.module.css';
import { SectionCard } from './section-card.tsx';

/** A card with each limit in its current period. Renders nothing without limits. */
export function LimitsCard({ windows }: { readonly windows: readonly LimitWindow[] | undefined }) {
  const p = usePageText(texts);
  if (!windows || windows.length === 0) return null;
  return (
    <SectionCard title={p('limits')}>
      <LimitWindows windows={windows} />
    </SectionCard>
  );
}

/** The spent, reserved and remaining amount of each limit, and when it resets. */
export function LimitWindows({ windows }: { readonly windows: readonly LimitWindow[] }) {
  return (
    <div className={classes['windows']}>
      {windows.map((window) => (
        <Window key={window.period} window={window} />
      ))}
    </div>
  );
}

function Window({ window }: { readonly window: LimitWindow }) {
  const p = usePageText(texts);
  const format = useFormat();
  const { currency } = useSession();
  const { period, amount, spent, reserved, left, resets_at: resetsAt } = window;
  const money = (text: string) => format.money(text, currency);
  const share = Number(amount) === 0 ? 1 : Math.min(1, Number(spent) / Number(amount));
  const notes = [
    p('left', { left: money(left) }),
    ...(Number(reserved) > 0 ? [p('reserved', { reserved: money(reserved) })] : []),
    ...(resetsAt === null ? [] : [p('resets', { time: format.relative(resetsAt) })]),
  ];
  return (
    <div>
      <div className={classes['head']}>
        <Text fz="sm">{p(`period_${period}`)}</Text>
        <Text fz="sm">{p('of', { spent: money(spent), amount: money(amount) })}</Text>
      </div>
      <div
        className={classes['track']}
        role="meter"
        aria-label={p(`period_${period}`)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={p('used', { percent: format.percent(share) })}
      >
        <div
          className={`${classes['spent']} ${share === 1 ? classes['full'] : ''}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <Text fz="xs" c="dimmed" title={resetsAt === null ? undefined : format.zonedTime(resetsAt)}>
        {notes.join(' · ')}
      </Text>
    </div>
  );
}
