import { Text } from '@mantine/core';
import { asPages } from '../../api/queries.ts';
import type { PriceSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { tierCondition } from '../../components/tier-condition.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { type PricedExample, pricedExamples } from './price-example.ts';

/** The charges for example requests: a sentence for a flat price, a row for each tier. */
export function PriceExampleTable({ price }: { readonly price: PriceSpec }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const tokens = ({ promptTokens, completionTokens }: PricedExample) =>
    t('routes.exampleTokens', { prompt: format.number(promptTokens), completion: format.number(completionTokens) });
  const examples = pricedExamples(price);
  const [first, second] = examples;
  if (first && !second)
    return (
      <Text fz="sm" c="dimmed">
        {t('routes.exampleCost', { tokens: tokens(first), cost: format.exactMoney(first.cost, currency) })}
      </Text>
    );
  const columns: readonly Column<PricedExample>[] = [
    {
      key: 'tier',
      header: t('routes.exampleTitle'),
      cell: ({ tier }) => (tier ? tierCondition(tier.when, { t, format }) : t('routes.noTier')),
    },
    { key: 'prices', header: t('routes.examplePrices'), cell: ({ tier }) => <TierPrices tier={tier} price={price} /> },
    { key: 'tokens', header: t('request.tokens'), align: 'right', cell: tokens },
    { key: 'cost', header: t('request.amount'), align: 'right', cell: ({ cost }) => <Money amount={cost} exact /> },
  ];
  return (
    <DataTable
      label={t('routes.exampleTitle')}
      columns={columns}
      pages={asPages({ data: examples })}
      rowKey={(example) => String(examples.indexOf(example))}
      empty={null}
    />
  );
}

function TierPrices({ tier, price }: { readonly tier: PricedExample['tier']; readonly price: PriceSpec }) {
  if (tier?.factor !== undefined) return `× ${tier.factor}`;
  const { input = '0', output = '0' } = tier ?? price;
  return (
    <span>
      <Money amount={input} exact /> / <Money amount={output} exact />
    </span>
  );
}
