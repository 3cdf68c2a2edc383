import { Select, Switch, Text, TextInput, Title } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { MoreSettings } from '../../components/more-settings.tsx';
import { useText } from '../../text/text.tsx';
import { type ModelValues, pricedFieldWords } from './model-values.ts';
import { PriceExampleTable } from './price-example-table.tsx';
import { priceProblems } from './price-problems.ts';
import {
  commonKinds,
  type PriceName,
  priceSpec,
  type PriceValues,
  rareKinds,
  unitNames,
  unitWords,
} from './price-values.ts';
import { TierEditor } from './tier-editor.tsx';
import { type PricePartProps, TokenPriceFields } from './token-price-fields.tsx';
import { ToolPrices } from './tool-prices.tsx';
import classes from './routes.module.css';

/** The part of the model form that sets prices. */
export type PriceSetting = Pick<ModelValues, 'isFree' | 'price' | 'pricedFields'>;

export interface PriceFieldsProps {
  readonly values: PriceSetting;
  readonly errors: PricePartProps['errors'];
  /** Sets fields. The errors at and inside `path` no longer apply. */
  readonly onChange: (changed: Partial<PriceSetting>, path: string) => void;
}

/** The price schedule: flat prices first, everything else behind a link, and an example. */
export function PriceFields({ values, errors, onChange }: PriceFieldsProps) {
  const { t } = useText();
  const { currency } = useSession();
  const { isFree, price, pricedFields } = values;
  const change = (changed: Partial<PriceValues>, path: string) => onChange({ price: { ...price, ...changed } }, path);
  const shown = { price, errors, onChange: change };
  const hasMore = hasOtherPrices(price) || pricedFields !== 'strip';
  const isHidden = (path: string) => path.startsWith('price') && !commonKinds.some((kind) => path === `price.${kind}`);
  return (
    <>
      <Switch
        label={t('routes.free')}
        checked={isFree}
        onChange={({ currentTarget }) => onChange({ isFree: currentTarget.checked }, 'price')}
      />
      {!isFree && (
        <>
          <Text fz="sm" c="dimmed">
            {t('routes.priceHelp', { currency })}
          </Text>
          <FlatPrices kinds={commonKinds} {...shown} />
        </>
      )}
      <MoreSettings title={t('routes.morePrices')} isFirstOpen={hasMore} hasError={Object.keys(errors).some(isHidden)}>
        {!isFree && <OtherPrices {...shown} />}
        <Select
          label={t('routes.pricedFields')}
          description={t('routes.pricedFieldsHelp')}
          allowDeselect={false}
          data={Object.entries(pricedFieldWords).map(([value, word]) => ({ value, label: t(word) }))}
          value={pricedFields}
          onChange={(chosen) => onChange({ pricedFields: chosen === 'refuse' ? 'refuse' : 'strip' }, 'priced_fields')}
          error={errors['priced_fields']}
        />
      </MoreSettings>
      {!isFree && priceProblems(price).length === 0 && <PriceExampleTable price={priceSpec(price)} />}
    </>
  );
}

function hasOtherPrices({ tokens, tiers, units, tools }: PriceValues): boolean {
  const texts = [...rareKinds.map((kind) => tokens[kind]), ...Object.values(units)];
  return tiers.length > 0 || tools.length > 0 || texts.some((text) => text.trim() !== '');
}

function OtherPrices(props: PricePartProps) {
  const { t } = useText();
  const { price, errors, onChange } = props;
  return (
    <>
      <FlatPrices kinds={rareKinds} {...props} />
      <section>
        <PartTitle title={t('routes.tiers')} text={t('routes.tiersHelp')} />
        <TierEditor {...props} />
      </section>
      <section>
        <PartTitle title={t('routes.units')} text={t('routes.unitsHelp')} />
        <div className={classes['fields']}>
          {unitNames.map((unit) => (
            <TextInput
              key={unit}
              label={t(unitWords[unit])}
              placeholder={t('common.none')}
              inputMode="decimal"
              value={price.units[unit]}
              error={errors[`price.units.${unit}`]}
              onChange={({ currentTarget }) =>
                onChange({ units: { ...price.units, [unit]: currentTarget.value } }, `price.units.${unit}`)
              }
            />
          ))}
        </div>
      </section>
      <section>
        <PartTitle title={t('routes.providerTools')} text={t('routes.providerToolsHelp')} />
        <ToolPrices {...props} />
      </section>
    </>
  );
}

function PartTitle({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <Title order={3} size="h4">
        {title}
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        {text}
      </Text>
    </>
  );
}

function FlatPrices({ kinds, price, errors, onChange }: PricePartProps & { readonly kinds: readonly PriceName[] }) {
  return (
    <TokenPriceFields
      kinds={kinds}
      path="price"
      tokens={price.tokens}
      errors={errors}
      onChange={(tokens, path) => onChange({ tokens }, path)}
    />
  );
}
