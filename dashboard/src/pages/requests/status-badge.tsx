import type { ReactNode } from 'react';
import { useText } from '../../text/text.tsx';
import classes from './requests.module.css';

export type StatusTone = 'good' | 'refused' | 'bad' | 'neutral';

/** A word or number with a dot in the colour of the outcome. */
export function StatusLabel({ tone, children }: { readonly tone: StatusTone; readonly children: ReactNode }) {
  return (
    <span className={classes['status']}>
      <span className={classes['dot']} data-tone={tone} />
      {children}
    </span>
  );
}

export interface StatusBadgeProps {
  readonly status: number;
  readonly errorCase: string | null;
}

/** The status. A stream that broke off after its 200 is marked as a failure. */
export function StatusBadge({ status, errorCase }: StatusBadgeProps) {
  const { t } = useText();
  const brokeOff = status < 400 && errorCase !== null;
  const tone = status >= 500 || brokeOff ? 'bad' : status >= 400 ? 'refused' : 'good';
  return (
    <StatusLabel tone={tone}>
      {brokeOff ? <span title={t('requests.interrupted')}>{status} ✕</span> : status}
    </StatusLabel>
  );
}
