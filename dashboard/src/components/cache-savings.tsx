import { useSession } from '../api/session.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';

export interface CacheSavingsProps {
  /** A decimal string. Negative if cache writes cost more than cache reads saved. */
  readonly amount: string;
  /** The text if caches made no difference. Default: empty. */
  readonly otherwise?: string;
}

/** The amount that prompt caches saved, as a short text. */
export function CacheSavings({ amount, otherwise = '' }: CacheSavingsProps) {
  const { t } = useText();
  const { currency } = useSession();
  const format = useFormat();
  if (Number(amount) === 0) return otherwise;
  const text = Number(amount) > 0 ? 'overview.cachesSaved' : 'overview.cachesCost';
  return t(text, { amount: format.money(amount.replace(/^-/, ''), currency) });
}
