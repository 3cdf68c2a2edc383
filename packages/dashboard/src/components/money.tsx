import { Text } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';

export interface MoneyProps {
  /** A decimal string; null if unknown. */
  readonly amount: string | null;
  /** Default: the currency of the gateway. */
  readonly currency?: string;
  /** Shows a sign and a colour for incoming amounts, as in a ledger. */
  readonly signed?: boolean;
  /** Shows every digit, for tables where users add or multiply amounts. */
  readonly exact?: boolean;
}

/** An amount. Hovering shows all its digits. */
export function Money({ amount, currency, signed = false, exact = signed }: MoneyProps) {
  const session = useSession();
  const format = useFormat();
  if (amount === null) return <Dash />;
  const code = currency ?? session.currency;
  const isCredit = signed && Number(amount) > 0;
  return (
    <Text span inherit title={`${amount} ${code}`} c={isCredit ? 'var(--chart-1)' : undefined}>
      {isCredit && '+'}
      {exact ? format.exactMoney(amount, code) : format.money(amount, code)}
    </Text>
  );
}

interface CacheSavingsProps {
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

/** The price of a million tokens. Zero is shown as "free". */
export function Price({ amount }: { readonly amount: string }) {
  const { t } = useText();
  if (Number(amount) > 0) return <Money amount={amount} exact />;
  return (
    <Text span c="dimmed">
      {t('models.free')}
    </Text>
  );
}

/** Stands for an unknown value. */
export function Dash() {
  return (
    <Text span c="dimmed">
      –
    </Text>
  );
}
