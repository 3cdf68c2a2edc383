import type { LiveQueue, QueueAccount } from '../../api/wire.ts';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { Swatch, useLook } from './account-looks.tsx';
import classes from './live.module.css';
import { type SlotShares, slotShares, waitingLine } from './slot-shares.ts';
import { texts } from './texts.ts';

/** Up to this number, every slot is one block. Beyond it, an account is one bar. */
const blocksMax = 120;
/** Accounts with their own bar; the others share one. */
export const namedMax = 8;
/** Accounts in the waiting line. */
const lineMax = 10;

/** The slots of an upstream as blocks in the colours of their accounts, and the waiting line behind them. */
export function SlotStrip({ queue }: { readonly queue: LiveQueue }) {
  const t = usePageText(texts);
  const shares = slotShares(queue, namedMax);
  const idle = queue.idle?.running ?? 0;
  const all = Math.max(queue.limit, queue.running + idle);
  const isCoarse = all > blocksMax;
  return (
    <div className={classes['picture']}>
      <div className={classes['pictureLabel']}>{t('slots')}</div>
      <div
        className={classes['strip']}
        role="img"
        aria-label={t('stripLabel', { upstream: queue.name, running: queue.running + idle, limit: queue.limit })}
        data-coarse={isCoarse || undefined}
      >
        {shares.named.map(
          (account) =>
            account.running > 0 && (
              <Held
                key={account.id}
                id={account.id}
                name={account.name ?? account.id}
                count={account.running}
                isCoarse={isCoarse}
              />
            ),
        )}
        {shares.others && shares.others.running > 0 && (
          <Held
            id={undefined}
            name={t('others', { count: shares.others.count })}
            count={shares.others.running}
            isCoarse={isCoarse}
          />
        )}
        {idle > 0 && <Held id={undefined} name={t('idleClass')} count={idle} isCoarse={isCoarse} />}
        {shares.free > 0 && <Free count={shares.free} isCoarse={isCoarse} />}
        {all === 0 && <span className={classes['noSlots']}>{t('noSlots')}</span>}
      </div>
      {queue.waiting > 0 && <WaitingLine queue={queue} shares={shares} />}
    </div>
  );
}

interface HeldProps {
  readonly id: string | undefined;
  readonly name: string;
  readonly count: number;
  readonly isCoarse: boolean;
}

/** The slots of one account. */
function Held({ id, name, count, isCoarse }: HeldProps) {
  const { className, ...look } = useLook(id);
  return (
    <span className={classes['held']} style={{ flexGrow: count }} title={`${name} · ${count}`}>
      {Array.from({ length: isCoarse ? 1 : count }, (_, index) => (
        <span key={index} className={className} {...look} />
      ))}
      <span className={classes['heldName']}>
        <span>
          {name} {count}
        </span>
      </span>
    </span>
  );
}

function Free({ count, isCoarse }: { readonly count: number; readonly isCoarse: boolean }) {
  const t = usePageText(texts);
  return (
    <span className={classes['held']} style={{ flexGrow: count }} title={t('free', { count })}>
      {Array.from({ length: isCoarse ? 1 : count }, (_, index) => (
        <span key={index} className={classes['free']} />
      ))}
    </span>
  );
}

/** The waiting accounts, the next slot at the left. */
function WaitingLine({ queue, shares }: { readonly queue: LiveQueue; readonly shares: SlotShares }) {
  const t = usePageText(texts);
  const line = waitingLine(queue.accounts);
  const shown = line.length <= lineMax + 1 ? line : line.slice(0, lineMax);
  const left = queue.waiting - shown.reduce((sum, { waiting }) => sum + waiting, 0);
  const leftAccounts = line.length - shown.length;
  return (
    <>
      <div className={classes['pictureLabel']}>{t('line')}</div>
      <ol className={classes['line']} aria-label={t('lineLabel', { upstream: queue.name })}>
        {shown.map((account) => (
          <Waiting key={account.id} account={account} isNamed={shares.named.includes(account)} />
        ))}
        {left > 0 && (
          <li className={classes['waiting']}>
            <Swatch id={undefined} />
            {leftAccounts > 0 ? t('others', { count: leftAccounts }) : t('unlisted')}
            <b>{left}</b>
          </li>
        )}
      </ol>
    </>
  );
}

function Waiting({ account, isNamed }: { readonly account: QueueAccount; readonly isNamed: boolean }) {
  const t = usePageText(texts);
  const format = useFormat();
  const { id, name, waiting, oldest_wait_ms: oldest } = account;
  return (
    <li className={classes['waiting']}>
      <Swatch id={isNamed ? id : undefined} />
      <span className={classes['waitingName']} title={name ?? id}>
        {name ?? id}
      </span>
      <b>{format.number(waiting)}</b>
      {oldest !== null && (
        <span className={classes['waitingAge']}>{t('oldest', { time: format.duration(oldest) })}</span>
      )}
    </li>
  );
}
