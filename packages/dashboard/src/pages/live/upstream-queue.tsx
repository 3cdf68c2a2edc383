import { Button, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayOperate } from '../../api/session.ts';
import type { LiveQueue, ProcessShare } from '../../api/wire.ts';
import { HealthState } from '../../components/status.tsx';
import { TerminateDialog } from '../../components/terminate-dialog.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { Swatch } from './account-looks.tsx';
import classes from './live.module.css';
import { AccountLink, QueueTable } from './queue-table.tsx';
import { largestHolder } from './slot-shares.ts';
import { SlotStrip } from './slot-strip.tsx';
import { Sparkline } from './sparkline.tsx';
import { texts } from './texts.ts';

export interface UpstreamQueueProps {
  readonly queue: LiveQueue;
  /** Running and waiting requests, oldest first. */
  readonly values: readonly number[];
}

/** One upstream: the accounts that hold its slots, the waiting line, and the reason why requests wait. */
export function UpstreamQueue({ queue, values }: UpstreamQueueProps) {
  const t = usePageText(texts);
  const { t: common } = useText();
  const format = useFormat();
  const { name, state, running, waiting, limit, fairness, accounts, processes, idle } = queue;
  return (
    <li className={classes['queue']}>
      <div className={classes['queueHead']}>
        <div className={classes['queueName']}>
          <Link to={pathOf(queue)} className={classes['queueLink']}>
            {name}
          </Link>
          <div className={classes['queueState']}>
            <HealthState state={state} />
          </div>
        </div>
        <div className={classes['queueCurve']}>
          <Sparkline values={values} atLeast={4} />
        </div>
        <div className={classes['fact']}>
          <span className={classes['factLabel']}>{t('slots')}</span>
          {t('slotsUsed', { running: format.number(running), limit: format.number(limit) })}
        </div>
        <div className={classes['fact']}>
          <span className={classes['factLabel']}>{common('live.waiting')}</span>
          {format.number(waiting)}
        </div>
        <Tooltip label={t('fairnessHelp')} maw={280}>
          <div className={classes['fact']} tabIndex={0} role="note">
            <span className={classes['factLabel']}>{t('fairness')}</span>
            {fairness === null ? '–' : format.percent(fairness)}
          </div>
        </Tooltip>
      </div>
      <Holder queue={queue} />
      <SlotStrip queue={queue} />
      {idle && (
        <Tooltip label={t('idleClassHelp')} maw={280}>
          <div className={classes['reason']} tabIndex={0} role="note">
            {t('idleClassLoad', { load: t('load', { running: idle.running, waiting: idle.waiting }) })}
          </div>
        </Tooltip>
      )}
      <Reason queue={queue} />
      {accounts.length > 0 && <QueueTable queue={queue} />}
      {processes.length > 1 && (
        <SlotHolders label={t('processesAt', { upstream: name })} holders={processes} most={16} />
      )}
    </li>
  );
}

/** Names the account with the most slots. One that holds more than its fair share while others wait is marked. */
function Holder({ queue }: { readonly queue: LiveQueue }) {
  const t = usePageText(texts);
  const format = useFormat();
  const mayOperate = useMayOperate();
  const [suspended, setSuspended] = useState<{ readonly id: string; readonly name: string }>();
  const largest = largestHolder(queue);
  // The account stays the chosen one, also if another one holds the most slots meanwhile.
  const dialog = suspended && <SuspendDialog account={suspended} onClose={() => setSuspended(undefined)} />;
  if (!largest) return dialog;
  const { account, share, isHog } = largest;
  const { id, name, running, waiting, fair_share: fair } = account;
  return (
    <div className={classes['holderLine']} data-hog={isHog || undefined}>
      <Swatch id={id} />
      <span>
        {name === null ? id : <AccountLink id={id} name={name} />}{' '}
        {t('holds', { running: format.number(running), limit: format.number(queue.limit), waiting })}
      </span>
      <span className={classes['holderShare']}>
        {t('shares', { share: format.percent(share), fair: format.percent(fair) })}
      </span>
      {name !== null && (
        <ViewAnchor to="/app/operator/requests" search={{ account: id, upstream: queue.name, live: 'on' }} fz="sm">
          {t('itsRequests')}
        </ViewAnchor>
      )}
      {isHog && name !== null && mayOperate && (
        <Button variant="default" size="compact-sm" onClick={() => setSuspended({ id, name })}>
          {t('suspend')}
        </Button>
      )}
      {dialog}
    </div>
  );
}

interface SuspendDialogProps {
  readonly account: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

function SuspendDialog({ account: { id, name }, onClose }: SuspendDialogProps) {
  const { t } = useText();
  return (
    <TerminateDialog
      title={t('accounts.suspendTitle', { name })}
      text={t('accounts.suspendText')}
      help={t('accounts.terminateHelp')}
      action={t('accounts.suspend')}
      path={`/admin/v1/accounts/${encodeURIComponent(id)}`}
      verb="suspend"
      changes={['/admin/v1/accounts', '/admin/v1/live']}
      successMessage={t('accounts.suspendedNow', { name })}
      onClose={onClose}
    />
  );
}

/** Why requests wait or fail at an upstream, and where to fix it. */
function Reason({ queue }: { readonly queue: LiveQueue }) {
  const t = usePageText(texts);
  const format = useFormat();
  const reason = troubleOf(queue);
  if (reason === undefined) return null;
  const words = {
    rejected: () => t('reasonRejected'),
    cooldown: () => t('reasonCooldown', { time: format.dateTime(queue.cooldown_until ?? '') }),
    ejected: () => t('reasonEjected'),
    full: () => t('reasonFull', { count: queue.limit }),
    queued: () => t('reasonSlotPending'),
  }[reason]();
  return (
    <div className={classes['reason']} data-bad={reason === 'rejected' || undefined}>
      {words}{' '}
      {(reason === 'rejected' || reason === 'ejected') && (
        <ViewAnchor to={pathOf(queue)} fz="sm">
          {t(reason === 'rejected' ? 'replaceCredential' : 'seeError')}
        </ViewAnchor>
      )}
    </div>
  );
}

function pathOf({ name }: LiveQueue): string {
  return `/app/operator/upstreams/${encodeURIComponent(name)}`;
}

type Trouble = 'rejected' | 'cooldown' | 'ejected' | 'full' | 'queued';

/** The strongest reason why requests wait or fail at an upstream. Undefined if none does. */
function troubleOf(queue: LiveQueue): Trouble | undefined {
  if (queue.state === 'disabled') return 'rejected';
  if (queue.state === 'ejected') return 'ejected';
  if (queue.waiting === 0) return undefined;
  if (queue.cooldown_until !== null) return 'cooldown';
  return queue.running + (queue.idle?.running ?? 0) >= queue.limit ? 'full' : 'queued';
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
  const t = usePageText(texts);
  const left = holders.length - most;
  return (
    <ul className={classes['holders']} aria-label={label}>
      {holders.slice(0, most).map(({ process, host, pid, worker, lease, running, waiting, heartbeat_age_ms }) => (
        <li key={process} className={classes['holder']}>
          <span className={classes['holderName']} title={process}>
            {worker === null
              ? t('process', { host, pid: String(pid) })
              : t('workerProcess', { host, worker: String(worker), pid: String(pid) })}
          </span>
          {heartbeat_age_ms > silentMs && (
            <span className={classes['holderSilent']}>
              {t('noHeartbeat', { count: Math.round(heartbeat_age_ms / 1000) })}
            </span>
          )}
          <span className={classes['holderFigures']}>{t('lease', { running, lease, waiting })}</span>
        </li>
      ))}
      {left > 0 && <li className={classes['holderFigures']}>{t('moreProcesses', { count: left })}</li>}
    </ul>
  );
}
