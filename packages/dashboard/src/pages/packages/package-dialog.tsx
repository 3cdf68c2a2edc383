import { NumberInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSession } from '../../api/session.ts';
import type { NewPackage } from '../../api/wire.ts';
import { useFieldErrors } from '../../components/field-problems.ts';
import { nameProblem } from '../../components/input-problems.ts';
import { ModelPatternsInput } from '../../components/model-patterns.tsx';
import { ResourceDialog } from '../../components/resource-dialog.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { isFactor, ofFactor } from '../routes/price-problems.ts';
import { isPlain } from './price-factor.ts';
import { type PackageEntry, weightOf, weightRatio } from './share.ts';
import classes from './turns.module.css';

export interface PackageDialogProps {
  readonly entry: PackageEntry | undefined;
  /** The packages to compare with. */
  readonly others: readonly PackageEntry[];
  readonly onClose: () => void;
}

/** Adds a package, or shows and changes one. */
export function PackageDialog({ entry, others, onClose }: PackageDialogProps) {
  const { t } = useText();
  const labels = {
    name: t('packages.name'),
    models: t('packages.models'),
    weight: t('packages.weight'),
    price_factor: t('packages.factor'),
  };
  const errorsOf = useFieldErrors({ labels });
  const form = useForm({
    initialValues: valuesOf(entry?.spec),
    validate: {
      name: (name) => nameProblem(name, t),
      models: (models) => (models.length === 0 ? t('sites.modelsMissing') : null),
      weight: (weight) => (isWeight(weight) ? null : t('packages.weightRange')),
      priceFactor: (factor) => (isFactor(factor) ? null : errorsOf([wrongFactor])['priceFactor']),
    },
  });
  const { weight, priceFactor } = form.getValues();
  return (
    <ResourceDialog<NewPackage>
      kind="package"
      entry={entry}
      onSubmit={(send) => form.onSubmit((values) => send((spec) => specOf(values, spec)))()}
      asWritten={(spec) => specOf(valuesOf(spec), spec)}
      lists={{ models: 'set' }}
      form={form}
      labels={labels}
      onClose={onClose}
    >
      {(isReadOnly) => (
        <>
          {!entry && (
            <TextInput
              label={t('packages.name')}
              description={t('packages.nameHelp')}
              data-autofocus
              withAsterisk
              {...form.getInputProps('name')}
            />
          )}
          <ModelPatternsInput
            label={t('packages.models')}
            withAsterisk
            readOnly={isReadOnly}
            {...form.getInputProps('models')}
          />
          <NumberInput
            label={t('packages.weight')}
            description={t('packages.weightHelp')}
            min={1}
            max={100}
            allowDecimal={false}
            withAsterisk
            readOnly={isReadOnly}
            {...form.getInputProps('weight')}
          />
          {isWeight(weight) && <WeightComparison weight={Number(weight)} others={others} />}
          <TextInput
            label={t('packages.factor')}
            description={t('packages.factorHelp')}
            inputMode="decimal"
            withAsterisk
            readOnly={isReadOnly}
            {...form.getInputProps('priceFactor')}
          />
          {isFactor(priceFactor) && <FactorExample factor={priceFactor.trim()} />}
        </>
      )}
    </ResourceDialog>
  );
}

function valuesOf(spec: NewPackage | undefined) {
  return {
    name: spec?.name ?? '',
    models: [...(spec?.models ?? ['*'])],
    weight: (spec?.weight ?? 1) as number | string,
    priceFactor: spec?.price_factor ?? '1',
  };
}

/** The spec to send. Keeps fields that the form does not have. */
function specOf(values: ReturnType<typeof valuesOf>, before: NewPackage = { name: '', models: [] }): NewPackage {
  const { price_factor: _factor, ...spec } = before;
  return {
    ...spec,
    name: values.name.trim(),
    models: values.models,
    weight: Number(values.weight),
    ...(!isPlain(values.priceFactor) && { price_factor: values.priceFactor.trim() }),
  };
}

const wrongFactor = { field: 'price_factor', reason: 'not_a_decimal', params: { ...ofFactor } };

/** The charge for a request of 1.00, which is the factor itself. */
function FactorExample({ factor }: { readonly factor: string }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  return (
    <Text fz="sm" className={classes['example'] ?? ''}>
      {t('packages.factorExample', {
        price: format.exactMoney('1', currency),
        charge: format.exactMoney(factor, currency),
      })}
    </Text>
  );
}

function isWeight(weight: number | string): boolean {
  const value = Number(weight);
  return Number.isInteger(value) && value >= 1 && value <= 100;
}

/** Compares a weight with each other package while the operator chooses it. */
function WeightComparison({ weight, others }: { readonly weight: number; readonly others: readonly PackageEntry[] }) {
  const { t } = useText();
  if (others.length === 0) return null;
  return (
    <dl className={classes['list']}>
      {others.slice(0, shownMax).map((other) => {
        const [own, their] = weightRatio(weight, weightOf(other));
        return (
          <div key={other.name} className={classes['line']}>
            <Text component="dt" fz="sm" c="dimmed">
              {t('packages.compared', { other: other.name })}
            </Text>
            <Text component="dd" fz="sm" m={0}>
              {own === their ? t('packages.equalSlots') : t('packages.slotRatio', { own, their })}
            </Text>
          </div>
        );
      })}
    </dl>
  );
}

const shownMax = 6;
