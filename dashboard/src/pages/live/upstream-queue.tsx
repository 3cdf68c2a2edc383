import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LiveQueue } from '../../api/wire.ts';
import { HealthState } from '../../components/health-state.tsx';
import { SlotMeter } from '../../components/slot-meter.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { AccountLoads } from './account-loads.tsx';
import classes from './live.module.css';
import { SlotHolders } from './place-holders.tsx';
import { Sparkline } from './sparkline.tsx';
import { waitingReason } from './waiting-reason.ts';

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
