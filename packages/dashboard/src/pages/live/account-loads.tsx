import type { LiveAccount } from '../../api/wire.ts';
import { usePageText } from '../../text/page-text.ts';
import { Swatch } from './account-looks.tsx';
import classes from './live.module.css';
import { AccountLink } from './queue-table.tsx';
import { texts } from './texts.ts';

interface AccountLoadsProps {
  readonly label: string;
  readonly accounts: readonly LiveAccount[];
  /** The number of rows; the others are only counted. */
  readonly most: number;
}

/** Running and waiting requests per account, as bars on one scale, so that an unfair share is visible. */
export function AccountLoads({ label, accounts, most }: AccountLoadsProps) {
  const t = usePageText(texts);
  const scale = Math.max(1, ...accounts.map(({ running, waiting }) => running + waiting));
  const drawn = accounts.slice(0, most);
  const left = accounts.length - drawn.length;
  return (
    <ul className={classes['accounts']} aria-label={label}>
      {drawn.map(({ id, name, running, waiting }) => (
        <li key={id} className={classes['account']}>
          <span className={classes['accountName']}>
            <Swatch id={id} />
            {name === null ? id : <AccountLink id={id} name={name} />}
          </span>
          <span className={classes['bar']} aria-hidden="true">
            {running > 0 && <span className={classes['barRunning']} style={{ width: `${(running / scale) * 100}%` }} />}
            {waiting > 0 && <span className={classes['barWaiting']} style={{ width: `${(waiting / scale) * 100}%` }} />}
          </span>
          <span className={classes['accountFigures']}>{t('load', { running, waiting })}</span>
        </li>
      ))}
      {left > 0 && <li className={classes['accountFigures']}>{t('moreAccounts', { count: left })}</li>}
    </ul>
  );
}
