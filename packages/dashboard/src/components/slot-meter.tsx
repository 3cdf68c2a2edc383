import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import classes from './slot-meter.module.css';

export interface SlotMeterProps {
  readonly running: number;
  readonly limit: number;
  /** Without the numbers, if they are shown next to it. */
  readonly barOnly?: boolean;
}

/** The used slots of an upstream. */
export function SlotMeter({ running, limit, barOnly = false }: SlotMeterProps) {
  const { t } = useText();
  const format = useFormat();
  const share = limit === 0 ? 0 : Math.min(1, running / limit);
  return (
    <div
      className={classes['meter']}
      role="meter"
      aria-label={t('upstreams.slots')}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(running, limit)}
      aria-valuetext={t('upstreams.slotsUsed', { running, limit })}
    >
      <div className={classes['track']}>
        <div
          className={`${classes['used']} ${share === 1 ? classes['full'] : ''}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      {!barOnly && (
        <span className={classes['number']}>
          {format.number(running)} <span className={classes['limit']}>/ {format.compact(limit)}</span>
        </span>
      )}
    </div>
  );
}
