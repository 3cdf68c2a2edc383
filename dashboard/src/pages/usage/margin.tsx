import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { decimalText, nanoFrom } from '../../../../src/core/money.ts';
import { useSession } from '../../api/session.ts';
import type { Column } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
import type { Usage } from './usage-line.ts';

/** The money of a row. Only operators get the cost. */
export type MoneyFigures = Pick<Usage['totals'], 'spend' | 'provider_cost' | 'costed_spend' | 'margin'>;

/** Whether a request among them has a known provider cost. */
export function isCosted({ costed_spend: costed = '0', provider_cost: cost = '0' }: MoneyFigures): boolean {
  return Number(costed) !== 0 || Number(cost) !== 0;
}

/** The revenue of the requests without a known provider cost. The margin leaves it out. */
export function uncostedRevenue({ spend, costed_spend: costed = '0' }: MoneyFigures): string {
  return decimalText(nanoFrom(spend) - nanoFrom(costed));
}

/** The columns of the revenue and how the margin follows from it, with all digits, so that a reader can add them up. */
export function marginColumns<Row>(
  t: Translate,
  figuresOf: (row: Row) => MoneyFigures,
  linked: (row: Row, revenue: ReactNode) => ReactNode = (_, revenue) => revenue,
): readonly Column<Row>[] {
  const column = (key: string, header: string, amountOf: (figures: MoneyFigures) => string | undefined) => ({
    key,
    header,
    align: 'right' as const,
    cell: (row: Row) => <Money amount={amountOf(figuresOf(row)) ?? null} exact />,
  });
  return [
    {
      key: 'revenue',
      header: t('usage.revenue'),
      align: 'right',
      cell: (row) => linked(row, <Money amount={figuresOf(row).spend} exact />),
    },
    column('uncosted', t('usage.costUnknown'), uncostedRevenue),
    column('cost', t('usage.providerCost'), (figures) => (isCosted(figures) ? figures.provider_cost : undefined)),
    column('margin', t('usage.margin'), (figures) => (isCosted(figures) ? figures.margin : undefined)),
  ];
}

/** The part of the revenue that the margin leaves out. Renders nothing if there is none, or if no cost is known. */
export function UncostedNote({ figures }: { readonly figures: MoneyFigures }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const rest = uncostedRevenue(figures);
  if (!isCosted(figures) || Number(rest) === 0) return null;
  return (
    <Text fz="xs" c="dimmed" component="div">
      {t('usage.uncosted', { amount: format.exactMoney(rest, currency) })}
    </Text>
  );
}
