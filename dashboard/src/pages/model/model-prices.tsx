import { Card, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OwnModel } from '../../api/wire.ts';
import { Price } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { type FixedTextKey, type Translate, useText } from '../../text/text.tsx';
import classes from './model.module.css';

/** The price and token limits of a model. */
export function ModelPrices({ model }: { readonly model: OwnModel }) {
  const { t } = useText();
  const format = useFormat();
  const { price } = model;
  const tokens = (count: number | null) =>
    count === null ? t('common.unknown') : t('models.tokens', { count: format.number(count) });
  return (
    <Card component="aside" aria-label={t('models.facts')}>
      <Title order={2} size="h3">
        {t('models.prices')}
      </Title>
      <Text fz="sm" c="dimmed" mb="xs">
        {t('models.pricesPer')}
      </Text>
      <dl className={classes['facts']}>
        <Fact name={t('models.input')} value={<Price amount={price.input} />} />
        <Fact name={t('models.cachedInput')} value={<Price amount={price.cached_input} />} />
        <Fact name={t('models.cacheWrite5m')} value={<Price amount={price.cache_write_5m} />} />
        <Fact name={t('models.cacheWrite1h')} value={<Price amount={price.cache_write_1h} />} />
        <Fact name={t('models.output')} value={<Price amount={price.output} />} />
        {Object.entries(price.provider_tools).map(([tool, amount]) => (
          <Fact key={tool} name={t('models.toolUses', { tool })} value={<Price amount={amount} />} />
        ))}
        {Object.entries(price.units).map(([unit, amount]) => (
          <Fact key={unit} name={unitName(unit, t)} value={<Price amount={amount} />} />
        ))}
      </dl>
      <Title order={2} size="h3" mt="lg" mb="xs">
        {t('models.facts')}
      </Title>
      <dl className={classes['facts']}>
        <Fact name={t('models.context')} value={tokens(model.context_window)} />
        <Fact name={t('models.maxOutput')} value={tokens(model.max_output_tokens)} />
        <Fact name={t('models.thinking')} value={t(model.thinking ? 'common.yes' : 'common.no')} />
        {model.reliability !== null && (
          <Fact name={t('models.reliability')} value={<Reliability share={model.reliability} />} />
        )}
        {model.aliases.length > 0 && <Fact name={t('models.aliases')} value={model.aliases.join(', ')} />}
      </dl>
    </Card>
  );
}

const units: Readonly<Record<string, FixedTextKey>> = {
  image: 'models.unitImage',
  second: 'models.unitSecond',
  character: 'models.unitCharacter',
  request: 'models.unitRequest',
};

function unitName(unit: string, t: Translate): string {
  const key = units[unit];
  return key ? t(key) : unit;
}

function Reliability({ share }: { readonly share: number }) {
  const { t } = useText();
  const format = useFormat();
  return <span title={t('models.reliabilityHelp')}>{format.percent(share)}</span>;
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div className={classes['fact']}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
