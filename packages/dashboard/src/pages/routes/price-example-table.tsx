import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { asPages, useRead } from '../../api/queries.ts';
import type { PriceSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { PriceExample, PriceExamples } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Money } from '../../components/money.tsx';
import { tierCondition } from '../../components/tier-condition.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';

/** The pause in typing after which the gateway calculates again. */
const pauseMs = 200;

/** The charges for example requests: a sentence for a flat price, a row for each tier. */
export function PriceExampleTable({ price }: { readonly price: PriceSpec }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const [written] = useDebouncedValue(JSON.stringify(price), pauseMs);
  // The charges of the last price stay until those of the next one have arrived. They never change.
  const { data, error, refetch } = useRead<PriceExamples>(
    '/admin/v1/price-examples',
    { price: written },
    { placeholderData: (before) => before, staleTime: Infinity },
  );
  if (!data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const { data: examples } = data;
  const tokens = ({ prompt_tokens: prompt, completion_tokens: completion }: PriceExample) =>
    t('routes.exampleTokens', { prompt: format.number(prompt), completion: format.number(completion) });
  const [first, second] = examples;
  if (first && !second)
    return (
      <Text fz="sm" c="dimmed">
        {t('routes.exampleCost', { tokens: tokens(first), cost: format.exactMoney(first.cost, currency) })}
      </Text>
    );
  const columns: readonly Column<PriceExample>[] = [
    {
      key: 'tier',
      header: t('routes.exampleTitle'),
      cell: ({ tier }) => (tier ? tierCondition(tier, { t, format }) : t('routes.noTier')),
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

function TierPrices({ tier, price }: { readonly tier: PriceExample['tier']; readonly price: PriceSpec }) {
  if (tier && tier.factor !== null) return `× ${tier.factor}`;
  const { input, output } = tier?.prices ?? price;
  return (
    <span>
      <Money amount={input} exact /> / <Money amount={output} exact />
    </span>
  );
}
