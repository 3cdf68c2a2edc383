import { useSession } from '../api/session.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';

export interface CacheSavingsProps {
  /** A decimal, as the gateway writes it; less than zero where writing to caches cost more than reading spared. */
  readonly amount: string;
  /** What is said where caches made no difference; nothing if left out. */
  readonly otherwise?: string;
}

/** What prompt caches saved, in a few words. */
export function CacheSavings({ amount, otherwise = '' }: CacheSavingsProps) {
  const { t } = useText();
  const { currency } = useSession();
  const format = useFormat();
  if (Number(amount) === 0) return otherwise;
  const text = Number(amount) > 0 ? 'overview.cachesSaved' : 'overview.cachesCost';
  return t(text, { amount: format.money(amount.replace(/^-/, ''), currency) });
}
