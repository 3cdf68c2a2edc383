import { Text } from '@mantine/core';
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

/** Revenue, provider cost and margin with all digits, so that a reader can add them up. */
export function marginColumns<Row>(t: Translate, figuresOf: (row: Row) => MoneyFigures): readonly Column<Row>[] {
  const amount = (row: Row, name: 'provider_cost' | 'margin') => {
    const figures = figuresOf(row);
    return <Money amount={isCosted(figures) ? (figures[name] ?? null) : null} exact />;
  };
  return [
    {
      key: 'cost',
      header: t('usage.providerCost'),
      align: 'right',
      cell: (row) => amount(row, 'provider_cost'),
    },
    { key: 'margin', header: t('usage.margin'), align: 'right', cell: (row) => amount(row, 'margin') },
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
