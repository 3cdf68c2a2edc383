import { NumberInput, Select, TagsInput } from '@mantine/core';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import {
  cacheWords,
  constraintNames,
  type ConstraintValues,
  constraintWords,
  deliveryWords,
  enforcerWords,
  type FallbackReason,
  fallbackReasons,
  type FallbackValues,
  payerWords,
} from './constraint-values.ts';
import classes from './routes.module.css';

interface ConstraintFieldsProps {
  readonly values: ConstraintValues;
  readonly onChange: (values: ConstraintValues) => void;
}

/**
 * Whether the gateway or the provider enforces the constraints of the API contract, and the reaction to a violation.
 */
export function ConstraintFields({ values, onChange }: ConstraintFieldsProps) {
  const { t } = useText();
  const choices = <Value extends string>(words: Readonly<Record<Value, FixedTextKey>>) =>
    (Object.entries(words) as [Value, FixedTextKey][]).map(([value, word]) => ({ value, label: t(word) }));
  const change = (changed: Partial<ConstraintValues>) => onChange({ ...values, ...changed });
  return (
    <>
      <div className={classes['fields']}>
        {constraintNames.map((name) => (
          <Select
            key={name}
            label={t(constraintWords[name])}
            allowDeselect={false}
            data={choices(enforcerWords)}
            value={values.enforcers[name]}
            onChange={(enforcer) => enforcer && change({ enforcers: { ...values.enforcers, [name]: enforcer } })}
          />
        ))}
        <Select
          label={t('routes.jsonDelivery')}
          allowDeselect={false}
          data={choices(deliveryWords)}
          value={values.jsonDelivery}
          onChange={(jsonDelivery) => jsonDelivery && change({ jsonDelivery })}
        />
        <NumberInput
          label={t('routes.attempts')}
          min={0}
          max={5}
          allowDecimal={false}
          value={values.attempts}
          onChange={(attempts) => change({ attempts })}
        />
        <Select
          label={t('routes.paidBy')}
          allowDeselect={false}
          data={choices(payerWords)}
          value={values.paidBy}
          onChange={(paidBy) => paidBy && change({ paidBy })}
        />
      </div>
      <Select
        label={t('routes.cache')}
        description={t('routes.cacheHelp')}
        allowDeselect={false}
        data={choices(cacheWords)}
        value={values.cache}
        onChange={(cache) => cache && change({ cache })}
      />
    </>
  );
}

/** The names of the fallback reasons. */
export const fallbackWords: Readonly<Record<FallbackReason, FixedTextKey>> = {
  failure: 'routes.onFailure',
  context_overflow: 'routes.onOverflow',
  refusal: 'routes.onRefusal',
};

interface FallbackFieldsProps {
  readonly values: FallbackValues;
  readonly models: readonly string[];
  readonly onChange: (values: FallbackValues) => void;
}

/** The fallback models, per reason and in order. */
export function FallbackFields({ values, models, onChange }: FallbackFieldsProps) {
  const { t } = useText();
  return fallbackReasons.map((reason) => (
    <TagsInput
      key={reason}
      label={t(fallbackWords[reason])}
      placeholder={values[reason].length === 0 ? t('routes.noFallback') : ''}
      data={[...models]}
      maxTags={8}
      value={[...values[reason]]}
      onChange={(names) => onChange({ ...values, [reason]: names })}
    />
  ));
}
