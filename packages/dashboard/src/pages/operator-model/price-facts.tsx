import { Stack, Text } from '@mantine/core';
import type { PriceSpec } from '../../api/resource.ts';
import type { NewModel } from '../../api/wire.ts';
import { FactList } from '../../components/fact-list.tsx';
import { Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { useText } from '../../text/text.tsx';
import { pricedFieldWords } from '../routes/model-values.ts';
import { PriceExampleTable } from '../routes/price-example-table.tsx';
import { commonKinds, priceWords, rareKinds, unitNames, unitWords, usualText } from '../routes/price-values.ts';

/** The price schedule of a model, with the charges for example requests. */
export function PriceFacts({ spec: { price, priced_fields: fields = 'strip' } }: { readonly spec: NewModel }) {
  const { t } = useText();
  if (price === 'free') return <Text>{t('routes.freeWord')}</Text>;
  const kinds = [...commonKinds, ...rareKinds.filter((kind) => price[kind] !== undefined)];
  const facts = [...otherPrices(price)].map(([label, amount]) => ({ label, value: <Money amount={amount} exact /> }));
  return (
    <Stack gap="md">
      <StatRow>
        {kinds.map((kind) => (
          <StatCard
            key={kind}
            label={t(priceWords[kind])}
            value={<Money amount={price[kind] ?? usualText(kind, price) ?? price.input} exact />}
            hint={price[kind] === undefined ? t('routes.asInput') : t('routes.aMillion')}
          />
        ))}
      </StatRow>
      {price.source && (
        <Text fz="sm" c="dimmed">
          {t('routes.priceSource', { source: price.source })}
        </Text>
      )}
      <PriceExampleTable price={price} />
      {(facts.length > 0 || price.tiers !== undefined || fields !== 'strip') && (
        <FactList facts={[...facts, { label: t('routes.pricedFields'), value: t(pricedFieldWords[fields]) }]} />
      )}
    </Stack>
  );

  function otherPrices({ units = {}, provider_tools: tools = {} }: PriceSpec): readonly (readonly [string, string])[] {
    return [
      ...unitNames.flatMap((unit) => (units[unit] === undefined ? [] : [[t(unitWords[unit]), units[unit]] as const])),
      ...Object.entries(tools).map(([tool, amount]) => [t('models.toolUses', { tool }), amount] as const),
    ];
  }
}
