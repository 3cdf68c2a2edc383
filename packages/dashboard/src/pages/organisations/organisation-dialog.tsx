import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { NewOrganisation, Organisation, OrganisationChange } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { nameProblem } from '../../components/input-problems.ts';
import { LimitFields, limitProblems, limitsOf, limitsText, limitValues } from '../../components/limit-fields.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { ModelPatternsInput } from '../../components/model-patterns.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { texts } from './texts.ts';

interface Values {
  readonly name: string;
  readonly displayName: string;
  readonly models: string[];
  readonly timeZone: string;
  readonly limits: ReturnType<typeof limitValues>;
}

function valuesOf(organisation: Organisation | undefined): Values {
  return {
    name: organisation?.name ?? '',
    displayName: organisation?.display_name ?? '',
    models: [...(organisation?.models ?? [])],
    timeZone: organisation?.time_zone ?? 'UTC',
    limits: limitValues(organisation?.limits ?? []),
  };
}

function bodyOf({ displayName, models, timeZone, limits }: Values): OrganisationChange {
  return {
    display_name: displayName.trim() === '' ? null : displayName.trim(),
    models: models.length > 0 ? models : null,
    time_zone: timeZone.trim(),
    limits: limitsOf(limits),
  };
}

interface OrganisationDialogProps {
  /** Undefined: a new one. */
  readonly organisation?: Organisation;
  readonly onClose: () => void;
  readonly onCreated?: (organisation: Organisation) => void;
}

/** Creates an organisation, or changes one. Detects a conflicting change by another user. */
export function OrganisationDialog({ organisation, onClose, onCreated }: OrganisationDialogProps) {
  const { t } = useText();
  const p = usePageText(texts);
  const l = usePageText(limitTexts);
  const [values, setValues] = useState(() => valuesOf(organisation));
  const [isChecked, setIsChecked] = useState(false);
  const problems = limitProblems(values.limits, t, l('badShare'));
  const badName = organisation ? null : nameProblem(values.name, t);
  const labels = {
    name: t('common.name'),
    display_name: p('displayName'),
    models: p('models'),
    time_zone: p('timeZone'),
    limits: l('limits'),
  };
  const create = useWrite<Organisation, NewOrganisation>({
    path: '/admin/v1/organisations',
    changes: ['/admin/v1/organisations'],
    successMessage: ({ name }) => p('added', { name }),
  });
  const edit = useReplacing<Organisation | undefined, OrganisationChange>(organisation, {
    method: 'PATCH',
    path: `/admin/v1/organisations/${encodeURIComponent(organisation?.id ?? '')}`,
    changes: ['/admin/v1/organisations'],
    onSaved: onClose,
    fieldsOf: ({ display_name, models, time_zone, limits }) => ({ display_name, models, time_zone, limits }),
    labels,
    valueText: (path, value) => (path === 'limits' ? limitsText(value) : undefined),
  });
  const submit = () => {
    setIsChecked(true);
    if (badName !== null || Object.keys(problems).length > 0) return;
    if (organisation) return edit.save(bodyOf(values));
    create.mutate({ name: values.name.trim(), ...bodyOf(values) }, { onSuccess: (made) => onCreated?.(made) });
  };
  const text = (name: 'name' | 'displayName' | 'timeZone') => ({
    value: values[name],
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [name]: currentTarget.value }),
  });
  return (
    <EntryDialog
      isOpen
      isInAddress={!organisation}
      title={organisation ? p('editTitle', { name: organisation.display_name ?? organisation.name }) : p('add')}
      {...(organisation ? { edit } : { action: p('addAction'), isBusy: create.isPending, error: create.error, labels })}
      onSubmit={submit}
      onClose={onClose}
    >
      {!organisation && (
        <TextInput
          label={t('common.name')}
          maxLength={64}
          data-autofocus
          withAsterisk
          error={isChecked ? badName : null}
          {...text('name')}
        />
      )}
      <TextInput label={p('displayName')} maxLength={64} {...text('displayName')} />
      <ModelPatternsInput
        label={p('models')}
        description={p('modelsHelp')}
        value={values.models}
        onChange={(models) => setValues({ ...values, models })}
      />
      <LimitFields
        values={values.limits}
        problems={isChecked ? problems : {}}
        onChange={(limits) => setValues({ ...values, limits })}
      />
      <TextInput label={p('timeZone')} description={p('timeZoneHelp')} maxLength={64} {...text('timeZone')} />
    </EntryDialog>
  );
}
