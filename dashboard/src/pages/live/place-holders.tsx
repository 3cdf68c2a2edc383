import type { PlaceHolder } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';
import classes from './live.module.css';

export interface PlaceHoldersProps {
  readonly label: string;
  readonly holders: readonly PlaceHolder[];
  /** How many are drawn; the others are counted. */
  readonly most: number;
}

/** Everybody reports once a second: who was heard of so much earlier stands still, or is gone. */
const silentMs = 4000;

/** Which process has leased how many slots of an upstream, and what it does with them. */
export function PlaceHolders({ label, holders, most }: PlaceHoldersProps) {
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
              {t('live.silent', { count: Math.round(heartbeat_age_ms / 1000) })}
            </span>
          )}
          <span className={classes['holderFigures']}>{t('live.lease', { running, lease, waiting })}</span>
        </li>
      ))}
      {left > 0 && <li className={classes['holderFigures']}>{t('live.moreProcesses', { count: left })}</li>}
    </ul>
  );
}
