import { Alert, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useSession } from '../../api/session.ts';
import { useRead } from '../../api/queries.ts';
import { keptFor, sizeText, useStoredBodies } from '../../components/body-terms.ts';
import { WarningIcon } from '../../icons.tsx';
import type { FieldLabels } from '../../text/error-text.ts';
import { useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import type { MemberChoice } from './member-choices.ts';
import { capPeriods, endings, isAddress, isAmount, isCount, type KeyFormValues } from './key-form-values.ts';

/** The form of a key's terms, with its validation. */
export function useKeyTerms(initial: KeyFormValues) {
  const { t } = useText();
  return useForm<KeyFormValues>({
    initialValues: initial,
    validate: {
      name: (name) => (name.trim() === '' ? t('keys.nameMissing') : null),
      endsOn: (day, { ending }) => (ending === 'on' && !(Date.parse(day) > 0) ? t('keys.dayMissing') : null),
      cap: (cap) => (cap.trim() === '' || isAmount(cap) ? null : t('keys.capWrong')),
      atOnce: (count) => (count.trim() === '' || isCount(count) ? null : t('keys.concurrencyInvalid')),
      addresses: (addresses) => (addresses.every(isAddress) ? null : t('keys.addressWrong')),
    },
  });
}

export interface KeyTermsProps {
  readonly form: ReturnType<typeof useKeyTerms>;
  readonly scope: KeyScope;
  /** Empty: the user cannot choose between members. */
  readonly members: readonly MemberChoice[];
  /** The current expiry of an edited key, if it has one. */
  readonly endsAt?: string | null;
}

/** The fields of a key's terms, for a new and for an edited key. */
export function KeyTerms({ form, scope, members, endsAt = null }: KeyTermsProps) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const models = useModelNames(scope);
  const isCapped = form.values.cap.trim() !== '';
  const kept = endsAt === null ? [] : [{ value: 'kept', label: t('keys.ending_kept', { date: format.date(endsAt) }) }];
  const choices = [...kept, ...endings.map((value) => ({ value, label: t(`keys.ending_${value}`) }))];
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t('common.name')}
        description={t('keys.nameHelp')}
        placeholder={t('keys.namePlaceholder')}
        maxLength={64}
        autoComplete="off"
        withAsterisk
        data-autofocus
      />
      {members.length > 0 && (
        <Select
          {...form.getInputProps('member')}
          label={t('keys.member')}
          description={t('keys.memberHelp')}
          data={members}
          allowDeselect={false}
          searchable={members.length > 8}
        />
      )}
      <TagsInput
        {...form.getInputProps('models')}
        label={t('keys.models')}
        description={t('keys.modelsHelp')}
        placeholder={form.values.models.length === 0 ? t('keys.allModels') : ''}
        data={models}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        clearable
      />
      <Select {...form.getInputProps('ending')} label={t('keys.expires')} data={choices} allowDeselect={false} />
      {form.values.ending === 'on' && (
        <TextInput {...form.getInputProps('endsOn')} type="date" label={t('keys.endsOn')} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          {...form.getInputProps('cap')}
          label={t('keys.cap')}
          description={t('keys.capHelp')}
          placeholder={t('keys.noCap')}
          inputMode="decimal"
          autoComplete="off"
          rightSection={currency}
          rightSectionWidth={56}
        />
        <Select
          {...form.getInputProps('capPeriod')}
          label={t('keys.capPeriod')}
          description={
            scope.timeZone === undefined ? t('keys.capPeriodHelp') : t('keys.capPeriodZone', { zone: scope.timeZone })
          }
          data={capPeriods.map((value) => ({ value, label: t(`keys.period_${value}`) }))}
          allowDeselect={false}
          disabled={!isCapped}
        />
      </SimpleGrid>
      <TextInput
        {...form.getInputProps('atOnce')}
        label={t('keys.concurrency')}
        description={t('keys.concurrencyHelp')}
        placeholder={t('keys.concurrencyUnlimited')}
        inputMode="numeric"
        autoComplete="off"
      />
      <TagsInput
        {...form.getInputProps('addresses')}
        label={t('keys.addresses')}
        description={t('keys.addressesHelp')}
        placeholder={form.values.addresses.length === 0 ? t('keys.addressesAny') : ''}
        // There are no suggestions. An open but empty list would take the first Escape away from the dialog.
        dropdownOpened={false}
        splitChars={[',', ' ']}
        maxTags={100}
        acceptValueOnBlur
        clearable
      />
      <Switch
        {...form.getInputProps('honoursStreamFalse', { type: 'checkbox' })}
        label={t('keys.nonStreamingSwitch')}
        description={t('keys.nonStreamingHelp')}
      />
      <Switch
        {...form.getInputProps('reportsCost', { type: 'checkbox' })}
        label={t('keys.costSwitch')}
        description={t('keys.costHelp')}
      />
      <StoreBodies form={form} scope={scope} />
    </>
  );
}

/** The names of the models. The two lists name them differently. */
function useModelNames({ modelsPath }: KeyScope): string[] {
  const { data } = useRead<{ readonly data: readonly { readonly id?: string; readonly name?: string }[] }>(
    modelsPath,
    modelsPath === '/admin/v1/models' ? { limit: 200 } : {},
  );
  return data?.data.flatMap(({ id, name }) => id ?? name ?? []) ?? [];
}

/** The labels of the form fields of a key. */
export function keyLabels(t: Translate): FieldLabels {
  return {
    name: t('common.name'),
    member: t('keys.member'),
    models: t('keys.models'),
    expires_at: t('keys.expires'),
    spend_cap: t('keys.cap'),
    cap_period: t('keys.capPeriod'),
    max_concurrency: t('keys.concurrency'),
    addresses: t('keys.addresses'),
    honour_stream_false: t('keys.nonStreamingSwitch'),
    report_cost: t('keys.costSwitch'),
    store_bodies: t('bodies.switch'),
  };
}

interface StoreBodiesProps {
  readonly form: UseFormReturnType<KeyFormValues>;
  readonly scope: KeyScope;
}

/**
 * Turns on storing the bodies of a key's requests, and explains the consequences. Renders nothing if storing is not
 * allowed.
 */
function StoreBodies({ form, scope }: StoreBodiesProps) {
  const { t } = useText();
  const { data: terms } = useStoredBodies(scope.accountId !== undefined);
  const { isStored } = form.values;
  if (!terms || !(terms.allowed || isStored)) return null;
  const bounds = { time: keptFor(terms, t), size: sizeText(terms.max_bytes ?? 0) };
  return (
    <>
      <Switch
        {...form.getInputProps('isStored', { type: 'checkbox' })}
        label={t('bodies.switch')}
        description={terms.allowed ? t('bodies.switchHelp', bounds) : t('bodies.notAllowed')}
      />
      {isStored && terms.allowed && (
        <Alert color="yellow" icon={<WarningIcon />} role="status">
          {t('bodies.switchNotice')}
        </Alert>
      )}
    </>
  );
}
