import { Text, Tooltip, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { decimalText, nanoFrom } from 'chat-gateway-figures/money.ts';
import type { Column } from '../../components/data-table.tsx';
import { figureTexts } from '../../components/figure-texts.ts';
import { Money } from '../../components/money.tsx';
import { type Format, useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { type Translate, useText } from '../../text/text.tsx';
import classes from './margin.module.css';
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
    { ...column('uncosted', t('usage.costUnknown'), uncostedRevenue), dropOrder: 2 },
    column('cost', t('usage.providerCost'), (figures) => (isCosted(figures) ? figures.provider_cost : undefined)),
    column('margin', t('usage.margin'), (figures) => (isCosted(figures) ? figures.margin : undefined)),
  ];
}

/** The margin, or a dash if no cost is known. */
export function Margin({ figures }: { readonly figures: MoneyFigures }) {
  return <Money amount={isCosted(figures) ? (figures.margin ?? null) : null} />;
}

/** The margin relative to the revenue with known cost. */
export function marginShare(figures: MoneyFigures, format: Format): string {
  const { margin = '0', costed_spend: costed = '0' } = figures;
  return Number(costed) > 0 ? format.percent(Number(margin) / Number(costed)) : '';
}

/** The share of the revenue that the margin covers. How it is calculated is shown on hover and focus. */
export function MarginNote({ figures }: { readonly figures: MoneyFigures }) {
  const { t } = useText();
  const figureText = usePageText(figureTexts);
  const format = useFormat();
  if (!isCosted(figures)) return t('usage.noCost');
  // Rounded down: 100 % only if the cost of all revenue is known.
  const share = Math.floor(coveredShare(figures) * 1000) / 1000;
  return (
    <Tooltip
      label={<MarginSum figures={figures} />}
      w={300}
      position="bottom-start"
      events={{ hover: true, focus: true, touch: true }}
    >
      <UnstyledButton fz="inherit" c="inherit" td="underline dotted">
        {figureText('covers', { share: format.percent(share) })}
      </UnstyledButton>
    </Tooltip>
  );
}

/** The share of the revenue whose provider cost is known. All of it if there is no revenue. */
function coveredShare({ spend, costed_spend: costed = '0' }: MoneyFigures): number {
  return Number(spend) > 0 ? Number(costed) / Number(spend) : 1;
}

/** Revenue, minus the part without a known cost, minus the cost. All digits, so that a reader can add them up. */
function MarginSum({ figures }: { readonly figures: MoneyFigures }) {
  const { t } = useText();
  const rows = [
    [t('usage.revenue'), figures.spend],
    [t('usage.costUnknown'), negative(uncostedRevenue(figures))],
    [t('usage.providerCost'), negative(figures.provider_cost ?? '0')],
    [t('usage.margin'), figures.margin ?? '0'],
  ] as const;
  return (
    <>
      <dl className={classes['sum']}>
        {rows.map(([name, amount]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Money amount={amount} exact />
            </dd>
          </div>
        ))}
      </dl>
      <Text fz="xs">{t('usage.marginHelp')}</Text>
    </>
  );
}

function negative(amount: string): string {
  return decimalText(-nanoFrom(amount));
}
