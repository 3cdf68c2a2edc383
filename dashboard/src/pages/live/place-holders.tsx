import type { ProcessShare } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';
import classes from './live.module.css';

export interface SlotHoldersProps {
  readonly label: string;
  readonly holders: readonly ProcessShare[];
  /** The number of rows; the others are only counted. */
  readonly most: number;
}

/** Each process reports once a second. Without a report for this time, it is stuck or gone. */
const silentMs = 4000;

/** The processes with leased slots of an upstream, and how they use them. */
export function SlotHolders({ label, holders, most }: SlotHoldersProps) {
  const { t } = useText();
  const left = holders.length - most;
  return (
    <ul className={classes['holders']} aria-label={label}>
      {holders.slice(0, most).map(({ process, host, pid, worker, lease, running, waiting, heartbeat_age_ms }) => (
        <li key={process} className={classes['holder']}>
          <span className={classes['holderName']} title={process}>
            {worker === null
              ? t('live.process', { host, pid: String(pid) })
              : t('live.workerProcess', { host, worker: String(worker), pid: String(pid) })}
          </span>
          {heartbeat_age_ms > silentMs && (
            <span className={classes['holderSilent']}>
              {t('live.noHeartbeat', { count: Math.round(heartbeat_age_ms / 1000) })}
            </span>
          )}
          <span className={classes['holderFigures']}>{t('live.lease', { running, lease, waiting })}</span>
        </li>
      ))}
      {left > 0 && <li className={classes['holderFigures']}>{t('live.moreProcesses', { count: left })}</li>}
    </ul>
  );
}
