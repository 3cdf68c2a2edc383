import { Badge, Tooltip } from '@mantine/core';
import { useText } from '../../text/text.tsx';

export interface StatusBadgeProps {
  readonly status: number;
  readonly errorCase: string | null;
}

/** The status; an answer that broke off after its 200 looks like the failure it is. */
export function StatusBadge({ status, errorCase }: StatusBadgeProps) {
  const { t } = useText();
  const brokeOff = status < 400 && errorCase !== null;
  const color = status >= 500 || brokeOff ? 'red' : status >= 400 ? 'orange' : 'accent';
  const badge = <Badge color={color}>{brokeOff ? `${status} ✕` : status}</Badge>;
  return brokeOff ? <Tooltip label={t('requests.brokeOff')}>{badge}</Tooltip> : badge;
}
