import { Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { saveFile } from '../../api/download.ts';
import { useEntryNames } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import type { CreatedCodeBatch, NewCodeBatch } from '../../api/wire.ts';
import { CopyButton } from '../../components/copy-field.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { amountProblem } from '../../components/input-problems.ts';
import { FileIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { momentOf } from '../../text/wall-clock.ts';

/** The most codes that the gateway creates at once. */
const countMax = 5000;

/** Creates codes and shows them once. */
export function NewBatchDialog({ onClose }: { readonly onClose: () => void }) {
  const { t, timeZone } = useText();
  const { currency } = useSession();
  const make = useWrite<CreatedCodeBatch, NewCodeBatch>({
    path: '/admin/v1/code-batches',
    changes: ['/admin/v1/code-batches', '/admin/v1/audit'],
  });
  const form = useForm({
    initialValues: {
      note: '',
      count: 10 as number | string,
      amount: '',
      kind: 'top_up' as NonNullable<NewCodeBatch['kind']>,
      expires: '',
      site: null as string | null,
      package: null as string | null,
    },
    validate: {
      note: (note) => (note.trim() === '' ? t('common.required') : null),
      amount: (amount) => amountProblem(amount, false, t),
      count: (count) =>
        Number.isInteger(count) && Number(count) >= 1 && Number(count) <= countMax
          ? null
          : t('codes.badCount', { max: countMax }),
    },
  });
  if (make.data) return <CreatedCodes batch={make.data} onClose={onClose} />;
  const submit = form.onSubmit(({ note, count, amount, kind, expires, site, ...values }) => {
    const expiresAt = expires && momentOf(`${expires}T23:59`, timeZone);
    make.mutate({
      note: note.trim(),
      count: Number(count),
      amount: amount.trim(),
      kind,
      ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      ...(site && { site }),
      ...(values.package && { package: values.package }),
    });
  });
  return (
    <EntryDialog
      isOpen
      title={t('codes.makeTitle')}
      action={t('codes.makeAction')}
      isBusy={make.isPending}
      error={make.error}
      labels={{
        note: t('codes.note'),
        count: t('codes.count'),
        amount: t('codes.amount', { currency }),
        kind: t('codes.kind'),
        expires_at: t('codes.expires'),
        site: t('codes.site'),
        package: t('codes.package'),
      }}
      onSubmit={submit}
      onClose={onClose}
    >
      <BatchFields form={form} />
    </EntryDialog>
  );
}

type BatchFormFields = Pick<ReturnType<typeof useForm>, 'getInputProps'>;

function BatchFields({ form }: { readonly form: BatchFormFields }) {
  const { t } = useText();
  const { currency } = useSession();
  const [sites, packages] = [useEntryNames('sites'), useEntryNames('packages')];
  return (
    <>
      <TextInput
        label={t('codes.note')}
        description={t('codes.noteHelp')}
        maxLength={64}
        data-autofocus
        withAsterisk
        {...form.getInputProps('note')}
      />
      <Group grow align="flex-start">
        <NumberInput
          label={t('codes.count')}
          min={1}
          max={countMax}
          allowDecimal={false}
          withAsterisk
          {...form.getInputProps('count')}
        />
        <TextInput
          label={t('codes.amount', { currency })}
          inputMode="decimal"
          withAsterisk
          {...form.getInputProps('amount')}
        />
      </Group>
      <Select
        label={t('codes.kind')}
        data={[
          { value: 'top_up', label: t('codes.kindTopUp') },
          { value: 'grant', label: t('codes.kindGrant') },
        ]}
        allowDeselect={false}
        {...form.getInputProps('kind')}
      />
      <TextInput type="date" label={t('codes.expires')} {...form.getInputProps('expires')} />
      <Group grow align="flex-start">
        <Select
          label={t('codes.site')}
          placeholder={t('codes.any')}
          data={sites}
          clearable
          {...form.getInputProps('site')}
        />
        <Select
          label={t('codes.package')}
          placeholder={t('codes.any')}
          data={packages}
          clearable
          {...form.getInputProps('package')}
        />
      </Group>
    </>
  );
}

/** Shows the codes, once. Until the operator has saved or copied them, only the button closes the dialog. */
function CreatedCodes({ batch, onClose }: { readonly batch: CreatedCodeBatch; readonly onClose: () => void }) {
  const { t } = useText();
  const [isSaved, setSaved] = useState(false);
  const text = batch.codes.join('\n');
  const save = (kind: 'txt' | 'csv') => {
    saveFile(
      `${batch.note}.${kind}`,
      kind === 'txt' ? new Blob([`${text}\n`], { type: 'text/plain' }) : tableOf(batch),
    );
    setSaved(true);
  };
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={t('codes.createdTitle', { count: batch.codes.length })}
      isLocked={!isSaved}
    >
      <Stack gap="md">
        <Text fz="sm">{t('codes.createdText')}</Text>
        <Textarea
          readOnly
          aria-label={t('nav.codes')}
          value={text}
          rows={Math.min(10, batch.codes.length)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <DialogFooter>
          <Button variant="default" leftSection={<FileIcon size={16} />} onClick={() => save('txt')}>
            {t('codes.saveText')}
          </Button>
          <Button variant="default" leftSection={<FileIcon size={16} />} onClick={() => save('csv')}>
            {t('codes.saveTable')}
          </Button>
          <CopyButton text={text} />
          <Button ml="auto" onClick={onClose}>
            {t('common.done')}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  );
}

/** One row per code, with its value. Codes and amounts contain nothing that needs quoting. */
function tableOf({ codes, amount, expires_at: end }: CreatedCodeBatch): Blob {
  const rows = codes.map((code) => `${code},${amount},${end ?? ''}`);
  return new Blob([['code,amount,expires_at', ...rows, ''].join('\r\n')], { type: 'text/csv' });
}
