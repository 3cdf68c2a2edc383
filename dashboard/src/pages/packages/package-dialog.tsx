import { Button, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMayOperate } from '../../api/operator.ts';
import type { NewPackage } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { useReplacing } from '../../api/replacing.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { ModelPatternsInput } from '../../components/model-patterns.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { useText } from '../../text/text.tsx';
import { type PackageEntry, weightOf } from './share.ts';
import { Turns } from './turns.tsx';

export interface PackageDialogProps {
  readonly entry: PackageEntry | undefined;
  /** The packages it is compared with. */
  readonly others: readonly PackageEntry[];
  readonly onClose: () => void;
}

const changes = ['/admin/v1/packages'];

/** Adds a package, or shows and changes one; the configuration file's are only shown. */
export function PackageDialog({ entry, others, onClose }: PackageDialogProps) {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [isRemoving, removing] = useDisclosure(false);
  const isFileOwned = entry?.source === 'file';
  const isReadOnly = isFileOwned || !mayOperate;
  const form = useForm({
    initialValues: valuesOf(entry),
    validate: {
      name: (name) => nameProblem(name, t),
      models: (models) => (models.length === 0 ? t('sites.modelsMissing') : null),
      weight: (weight) => (isWeight(weight) ? null : t('packages.weightRange')),
    },
  });
  const path = entry ? `/admin/v1/packages/${encodeURIComponent(entry.name)}` : '/admin/v1/packages';
  const edit = useReplacing<PackageEntry | undefined, NewPackage>(entry, {
    method: entry ? 'PUT' : 'POST',
    path,
    changes,
    told: ({ name }) => (entry ? t('common.saved') : t('packages.added', { name })),
  });
  const remove = useWrite({
    method: 'DELETE',
    path,
    ifMatch: () => entry?.version,
    changes,
    told: () => t('packages.removed', { name: entry?.name ?? '' }),
  });
  const submit = form.onSubmit(({ name, models, weight: share }) =>
    edit.save({ ...edit.base?.spec, name: name.trim(), models, weight: Number(share) }, onClose),
  );
  const { weight } = form.getValues();
  return (
    <>
      <EntryDialog
        isOpen={!isRemoving}
        isInAddress
        title={entry ? t('packages.editTitle', { name: entry.name }) : t('packages.addTitle')}
        isFileOwned={isFileOwned}
        isReadOnly={isReadOnly}
        action={entry ? undefined : t('packages.addAction')}
        isBusy={edit.isPending}
        notice={
          <ConflictNotice<PackageEntry>
            error={edit.error}
            path={path}
            subject={{ kind: 'package', id: entry?.name ?? '' }}
            mine={edit.mine}
            theirs={(current) => current.spec}
            onKeepMine={(current) => edit.saveOver(current, onClose)}
            onTakeTheirs={(current) => {
              edit.adopt(current);
              form.setValues(valuesOf(current));
            }}
          />
        }
        onSubmit={submit}
        onClose={onClose}
        aside={
          entry &&
          !isReadOnly && (
            <Button variant="subtle" color="red" c="var(--chart-bad)" onClick={removing.open}>
              {t('common.remove')}
            </Button>
          )
        }
      >
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
        {isWeight(weight) && <Turns weight={Number(weight)} others={others} />}
      </EntryDialog>
      {entry && (
        <ConfirmDialog
          isOpen={isRemoving}
          title={t('packages.removeTitle', { name: entry.name })}
          text={t('packages.removeText')}
          action={t('common.remove')}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
          onClose={removing.close}
        />
      )}
    </>
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
