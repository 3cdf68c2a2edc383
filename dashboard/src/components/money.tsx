import { Text } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useFormat } from '../text/format.ts';

export interface MoneyProps {
  /** A decimal, as the gateway writes it; null where it is not known. */
  readonly amount: string | null;
  /** The gateway's own if left out. */
  readonly currency?: string;
  /** Shows the sign of what came in, and in which colour, as a ledger does. */
  readonly signed?: boolean;
  /** Shows every digit, where the reader adds up or multiplies, as in a ledger. */
  readonly exact?: boolean;
}

/** An amount, with all its digits on hover. */
export function Money({ amount, currency, signed = false, exact = signed }: MoneyProps) {
  const session = useSession();
  const format = useFormat();
  if (amount === null)
    return (
      <Text span c="dimmed">
        –
      </Text>
    );
  const code = currency ?? session.currency;
  const isIn = signed && Number(amount) > 0;
  return (
    <Text span inherit title={`${amount} ${code}`} c={isIn ? 'var(--chart-1)' : undefined}>
      {isIn && '+'}
      {exact ? format.exactMoney(amount, code) : format.money(amount, code)}
    </Text>
  );
}
