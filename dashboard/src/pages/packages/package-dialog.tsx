import { NumberInput, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { NewPackage } from '../../api/wire.ts';
import { nameProblem } from '../../components/input-problems.ts';
import { ModelPatternsInput } from '../../components/model-patterns.tsx';
import { ResourceDialog } from '../../components/resource-dialog.tsx';
import { useText } from '../../text/text.tsx';
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
  const form = useForm({
    initialValues: valuesOf(entry),
    validate: {
      name: (name) => nameProblem(name, t),
      models: (models) => (models.length === 0 ? t('sites.modelsMissing') : null),
      weight: (weight) => (isWeight(weight) ? null : t('packages.weightRange')),
    },
  });
  const { weight } = form.getValues();
  return (
    <ResourceDialog<NewPackage>
      kind="package"
      entry={entry}
      onSubmit={(send) =>
        form.onSubmit(({ name, models, weight: share }) =>
          send((spec) => ({ ...spec, name: name.trim(), models, weight: Number(share) })),
        )()
      }
      onTakeTheirs={(current) => form.setValues(valuesOf(current))}
      labels={{ name: t('packages.name'), models: t('packages.models'), weight: t('packages.weight') }}
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
        </>
      )}
    </ResourceDialog>
  );
}

function valuesOf(entry: PackageEntry | undefined) {
  return {
    name: entry?.name ?? '',
    models: [...(entry?.spec.models ?? ['*'])],
    weight: (entry ? weightOf(entry) : 1) as number | string,
  };
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
