import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LiveAccount, LiveQueue, ProcessShare } from '../../api/wire.ts';
import { HealthState } from '../../components/status.tsx';
import { SlotMeter } from '../../components/slot-meter.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './live.module.css';
import { Sparkline } from './sparkline.tsx';

export interface UpstreamQueueProps {
  readonly queue: LiveQueue;
  /** Running and waiting requests, oldest first. */
  readonly values: readonly number[];
}

/** One upstream: its slots, the waiting requests, and the reason why they wait. */
export function UpstreamQueue({ queue, values }: UpstreamQueueProps) {
  const { t } = useText();
  const format = useFormat();
  const { name, state, running, waiting, limit, fairness, accounts, processes } = queue;
  return (
    <li className={classes['queue']}>
      <div className={classes['queueHead']}>
        <div className={classes['queueName']}>
          <Link to={`/app/operator/upstreams/${encodeURIComponent(name)}`} className={classes['queueLink']}>
            {name}
          </Link>
          <div className={classes['queueState']}>
            <HealthState state={state} />
          </div>
        </div>
        <div className={classes['queueCurve']}>
          <Sparkline values={values} atLeast={4} />
        </div>
        <div className={classes['queueSlots']}>
          <SlotMeter running={running} limit={limit} />
        </div>
        <div className={classes['fact']}>
          <span className={classes['factLabel']}>{t('live.waiting')}</span>
          {format.number(waiting)}
        </div>
        <Tooltip label={t('live.fairnessHelp')} maw={280}>
          <div className={classes['fact']} tabIndex={0} role="note">
            <span className={classes['factLabel']}>{t('live.fairness')}</span>
            {fairness === null ? '–' : format.percent(fairness)}
          </div>
        </Tooltip>
      </div>
      <Reason queue={queue} />
      {accounts.length > 0 && (
        <AccountLoads label={t('live.accountsAt', { upstream: name })} accounts={accounts} most={8} />
      )}
      {processes.length > 1 && (
        <SlotHolders label={t('live.processesAt', { upstream: name })} holders={processes} most={16} />
      )}
    </li>
  );
}

function Reason({ queue }: { readonly queue: LiveQueue }) {
  const { t } = useText();
  const format = useFormat();
  const reason = waitingReason(queue);
  if (reason === undefined) return null;
  const words = {
    cooldown: () => t('live.reasonCooldown', { time: format.dateTime(queue.cooldown_until ?? '') }),
    ejected: () => t('live.reasonEjected'),
    full: () => t('live.reasonFull', { count: queue.limit }),
    queued: () => t('live.reasonSlotPending'),
  }[reason]();
  return <div className={classes['reason']}>{words}</div>;
}

type WaitingReason = 'cooldown' | 'ejected' | 'full' | 'queued';

/** Why requests wait at an upstream, the strongest reason first. Undefined if none waits. */
function waitingReason(queue: LiveQueue): WaitingReason | undefined {
  if (queue.waiting === 0) return undefined;
  if (queue.cooldown_until !== null) return 'cooldown';
  if (queue.state === 'ejected' || queue.state === 'disabled') return 'ejected';
  return queue.running >= queue.limit ? 'full' : 'queued';
}

interface SlotHoldersProps {
  readonly label: string;
  readonly holders: readonly ProcessShare[];
  /** The number of rows; the others are only counted. */
  readonly most: number;
}

/** Each process reports once a second. Without a report for this time, it is stuck or gone. */
const silentMs = 4000;

/** The processes with leased slots of an upstream, and how they use them. */
function SlotHolders({ label, holders, most }: SlotHoldersProps) {
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

interface AccountLoadsProps {
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
