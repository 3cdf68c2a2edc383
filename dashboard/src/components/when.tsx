import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import { useTick } from './tick.ts';

export interface WhenProps {
  readonly at: string | null;
  /** As "3 minutes ago" (the default), or date and time, or the date alone. */
  readonly as?: 'relative' | 'date-time' | 'date';
  /** What null means here; "Never" if left out. */
  readonly otherwise?: string;
}

/** A time in the viewer's zone; the exact one shows on hover. */
export function When({ at, as = 'relative', otherwise }: WhenProps) {
  const { t } = useText();
  const format = useFormat();
  useTick(as === 'relative' && at !== null ? tickMs : undefined);
  if (at === null) return <>{otherwise ?? t('common.never')}</>;
  const exact = format.dateTime(at);
  const shown = as === 'relative' ? format.relative(at) : as === 'date' ? format.date(at) : exact;
  return (
    <time dateTime={at} title={exact}>
      {shown}
    </time>
  );
}

/** What was seconds ago becomes minutes while a page stands there, though nothing of it is read anew. */
const tickMs = 10_000;
