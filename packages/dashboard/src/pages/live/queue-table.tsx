import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LiveQueue, QueueAccount } from '../../api/wire.ts';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { Swatch } from './account-looks.tsx';
import classes from './live.module.css';
import { slotShares } from './slot-shares.ts';
import { namedMax } from './slot-strip.tsx';
import { texts } from './texts.ts';

/** The picture of an upstream as a table: each account with its slots, its wait, its share and its fair share. */
export function QueueTable({ queue }: { readonly queue: LiveQueue }) {
  const t = usePageText(texts);
  const { t: common } = useText();
  const format = useFormat();
  const [isWhole, { toggle }] = useDisclosure(false);
  const { named, others } = slotShares(queue, isWhole ? queue.accounts.length : namedMax);
  const share = (running: number) => (queue.running === 0 ? '–' : format.percent(running / queue.running));
  return (
    <div className={classes['tableBox']}>
      <table className={classes['table']} aria-label={t('accountsAt', { upstream: queue.name })}>
        <thead>
          <tr>
            <th scope="col">{t('account')}</th>
            <th scope="col">{common('live.running')}</th>
            <th scope="col">{common('live.waiting')}</th>
            <th scope="col" className={classes['wideOnly']}>
              {t('oldestWait')}
            </th>
            <th scope="col">{t('share')}</th>
            <th scope="col" title={t('fairShareHelp')}>
              {t('fairShare')}
            </th>
          </tr>
        </thead>
        <tbody>
          {named.map((account) => (
            <Row
              key={account.id}
              load={account}
              name={<AccountName account={account} />}
              oldest={account.oldest_wait_ms === null ? '–' : format.duration(account.oldest_wait_ms)}
              share={share(account.running)}
              fair={format.percent(account.fair_share)}
            />
          ))}
          {others && (
            <Row
              load={others}
              name={
                <span className={classes['accountName']}>
                  <Swatch id={undefined} />
                  {others.count === 0 ? t('unlisted') : t('others', { count: others.count })}
                </span>
              }
              oldest="–"
              share={share(others.running)}
              fair="–"
            />
          )}
        </tbody>
      </table>
      {queue.accounts.length > namedMax + 1 && (
        <Button variant="subtle" color="gray" size="compact-sm" aria-expanded={isWhole} onClick={toggle}>
          {isWhole ? t('showFewer') : t('showAll', { count: queue.accounts.length })}
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly load: Pick<QueueAccount, 'running' | 'waiting'>;
  readonly name: ReactNode;
  readonly oldest: string;
  readonly share: string;
  readonly fair: string;
}

function Row({ load, name, oldest, share, fair }: RowProps) {
  const format = useFormat();
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{format.number(load.running)}</td>
      <td>{format.number(load.waiting)}</td>
      <td className={classes['wideOnly']}>{oldest}</td>
      <td>{share}</td>
      <td>{fair}</td>
    </tr>
  );
}

function AccountName({ account: { id, name } }: { readonly account: QueueAccount }) {
  return (
    <span className={classes['accountName']}>
      <Swatch id={id} />
      {/* Without a name, the entry adds up accounts of another process. */}
      {name === null ? id : <AccountLink id={id} name={name} />}
    </span>
  );
}

/** A link to the page of an account. */
export function AccountLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Link to="/app/operator/accounts/$id" params={{ id }} className={classes['queueLink']} title={name}>
      {name}
    </Link>
  );
}
