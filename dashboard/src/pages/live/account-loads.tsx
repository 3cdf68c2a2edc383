import type { LiveAccount } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';
import classes from './live.module.css';

export interface AccountLoadsProps {
  readonly label: string;
  readonly accounts: readonly LiveAccount[];
  /** The number of rows; the others are only counted. */
  readonly most: number;
}

/** Running and waiting requests per account, as bars on one scale, so that an unfair share is visible. */
export function AccountLoads({ label, accounts, most }: AccountLoadsProps) {
  const { t } = useText();
  const scale = Math.max(1, ...accounts.map(({ running, waiting }) => running + waiting));
  const drawn = accounts.slice(0, most);
  const left = accounts.length - drawn.length;
  return (
    <ul className={classes['accounts']} aria-label={label}>
      {drawn.map(({ id, name, running, waiting }) => (
        <li key={id} className={classes['account']}>
          <span className={classes['accountName']} title={name ?? id}>
            {name ?? id}
          </span>
          <span className={classes['bar']} aria-hidden="true">
            {running > 0 && <span className={classes['barRunning']} style={{ width: `${(running / scale) * 100}%` }} />}
            {waiting > 0 && <span className={classes['barWaiting']} style={{ width: `${(waiting / scale) * 100}%` }} />}
          </span>
          <span className={classes['accountFigures']}>{t('live.load', { running, waiting })}</span>
        </li>
      ))}
      {left > 0 && <li className={classes['accountFigures']}>{t('live.moreAccounts', { count: left })}</li>}
    </ul>
  );
}
