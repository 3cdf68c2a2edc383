import { Select, Switch, Text, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
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

/** The price of a model: its schedule, the treatment of other price options, and an example. */
export function PriceFields({ values, errors, onChange }: PriceFieldsProps) {
  const { t } = useText();
  const { isFree, price, pricedFields } = values;
  return (
    <>
      <Switch
        label={t('routes.free')}
        checked={isFree}
        onChange={({ currentTarget }) => onChange({ isFree: currentTarget.checked }, 'price')}
      />
      <PriceSchedule
        path="price"
        price={isFree ? undefined : price}
        errors={errors}
        isMoreOpen={pricedFields !== 'strip'}
        onChange={(changed, path) => onChange({ price: { ...price, ...changed } }, path)}
      >
        <Select
          label={t('routes.pricedFields')}
          description={t('routes.pricedFieldsHelp')}
          allowDeselect={false}
          data={Object.entries(pricedFieldWords).map(([value, word]) => ({ value, label: t(word) }))}
          value={pricedFields}
          onChange={(chosen) => onChange({ pricedFields: chosen === 'refuse' ? 'refuse' : 'strip' }, 'priced_fields')}
          error={errors['priced_fields']}
        />
      </PriceSchedule>
      {!isFree && priceProblems(price).length === 0 && <PriceExampleTable price={priceSpec(price)} />}
    </>
  );
}

interface PriceScheduleProps extends Omit<PricePartProps, 'price'> {
  /** Undefined if everything is free. */
  readonly price: PriceValues | undefined;
  readonly isMoreOpen?: boolean;
  /** More fields behind the link. */
  readonly children?: ReactNode;
}

/** Flat prices first, everything else behind a link. For the price of a model, and for the cost of a route. */
export function PriceSchedule({ price, path, errors, isMoreOpen = false, ...props }: PriceScheduleProps) {
  const { t } = useText();
  const { currency } = useSession();
  const shown = price && { price, path, errors, onChange: props.onChange };
  const isHidden = (at: string) => isInside(at, path) && !commonKinds.some((kind) => at === `${path}.${kind}`);
  return (
    <>
      {shown && (
        <>
          <Text fz="sm" c="dimmed">
            {t('routes.priceHelp', { currency })}
          </Text>
          <FlatPrices kinds={commonKinds} {...shown} />
        </>
      )}
      <MoreSettings
        title={t('routes.morePrices')}
        isFirstOpen={isMoreOpen || (price !== undefined && hasOtherPrices(price))}
        hasError={Object.keys(errors).some((at) => isHidden(at) || (path === 'price' && at === 'priced_fields'))}
      >
        {shown && <OtherPrices {...shown} />}
        {props.children}
      </MoreSettings>
    </>
  );
}

/** Whether a field is this one, or inside it. */
export function isInside(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
}

function hasOtherPrices({ tokens, tiers, units, tools }: PriceValues): boolean {
  const texts = [...rareKinds.map((kind) => tokens[kind]), ...Object.values(units)];
  return tiers.length > 0 || tools.length > 0 || texts.some((text) => text.trim() !== '');
}

function OtherPrices(props: PricePartProps) {
  const { t } = useText();
  const { price, path, errors, onChange } = props;
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
              error={errors[`${path}.units.${unit}`]}
              onChange={({ currentTarget }) =>
                onChange({ units: { ...price.units, [unit]: currentTarget.value } }, `${path}.units.${unit}`)
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

function FlatPrices({ kinds, price, path, ...props }: PricePartProps & { readonly kinds: readonly PriceName[] }) {
  return (
    <TokenPriceFields
      kinds={kinds}
      path={path}
      tokens={price.tokens}
      errors={props.errors}
      onChange={(tokens, changed) => props.onChange({ tokens }, changed)}
    />
  );
}
