import { NumberInput, Select } from '@mantine/core';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import {
  cacheWords,
  deliveryWords,
  enforcerWords,
  payerWords,
  constraintNames,
  constraintWords,
  type ConstraintValues,
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
