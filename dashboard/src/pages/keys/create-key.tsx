import { Button, Group, Modal, MultiSelect, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { MadeKey, OwnModels } from '../../api/wire.ts';
import { useRead, useWrite } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { type Ending, endings, isAmount, type KeyWish, newKeyOf } from './key-wish.ts';
import { heldOpen, MadeKeyNotice } from './made-key.tsx';

/** Asks for a key's terms and then shows its secret, once. */
export function CreateKey({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { t, timeZone } = useText();
  const write = useWrite<MadeKey, KeyWish>({
    path: '/account/v1/keys',
    send: (wish) => newKeyOf(wish, new Date(), timeZone),
    changes: ['/account/v1/keys'],
  });
  const close = () => {
    write.reset();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size={write.data ? 'xl' : 'md'}
      {...heldOpen(write)}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      title={t(write.data ? 'keys.madeTitle' : 'keys.createTitle')}
    >
      {write.data ? <MadeKeyNotice made={write.data} onDone={close} /> : <TermsForm write={write} onCancel={close} />}
    </Modal>
  );
}

interface TermsFormProps {
  readonly write: ReturnType<typeof useWrite<MadeKey, KeyWish>>;
  readonly onCancel: () => void;
}

function TermsForm({ write, onCancel }: TermsFormProps) {
  const { t } = useText();
  const { currency } = useSession();
  const models = useRead<OwnModels>('/account/v1/models');
  const form = useForm({
    initialValues: { name: '', models: [] as string[], ending: 'never' as Ending, endsOn: '', cap: '', isWhole: false },
    validate: {
      name: (name) => (name.trim() === '' ? t('keys.nameMissing') : null),
      endsOn: (day, { ending }) => (ending === 'on' && !(Date.parse(day) > 0) ? t('keys.dayMissing') : null),
      cap: (cap) => (cap.trim() === '' || isAmount(cap) ? null : t('keys.capWrong')),
    },
  });
  return (
    <form onSubmit={form.onSubmit((wish) => write.mutate(wish))}>
      <Stack gap="md">
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
        <MultiSelect
          {...form.getInputProps('models')}
          label={t('keys.models')}
          description={t('keys.modelsHelp')}
          placeholder={form.values.models.length === 0 ? t('keys.allModels') : ''}
          data={models.data?.data.map(({ id }) => id) ?? []}
          nothingFoundMessage={t('keys.noSuchModel')}
          searchable
          clearable
        />
        <Select
          {...form.getInputProps('ending')}
          label={t('keys.expires')}
          data={endings.map((value) => ({ value, label: t(`keys.ending_${value}`) }))}
          allowDeselect={false}
        />
        {form.values.ending === 'on' && (
          <TextInput {...form.getInputProps('endsOn')} type="date" label={t('keys.endsOn')} />
        )}
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
        <Switch
          {...form.getInputProps('isWhole', { type: 'checkbox' })}
          label={t('keys.honourSwitch')}
          description={t('keys.honourHelp')}
        />
        <ErrorNotice error={write.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={write.isPending}>
            {t('keys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
