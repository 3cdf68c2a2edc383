import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import type { MadeReset, NewReset } from '../../api/wire.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { lost } from './lost.ts';

interface ResetDialogProps {
  readonly name: string;
  /** Where the link is made. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Makes a link with which somebody gets in again; it is shown once, to be passed on. */
export function ResetDialog({ name, path, onClose }: ResetDialogProps) {
  const { t } = useText();
  const [resets, setResets] = useState<NewReset['resets']>('password');
  const make = useWrite<MadeReset, NewReset>({ path, changes: ['/admin/v1/links'] });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('people.resetTitle', { name })}
      closeOnClickOutside={!make.data}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {make.data ? (
        <Stack gap="lg">
          <CopyField
            label={t('people.resetLink', { email: make.data.email })}
            value={new URL(make.data.link, location.origin).href}
            once
          />
          {make.data.mailed && <Text>{t('alerts.mailed', { email: make.data.email })}</Text>}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('common.done')}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            make.mutate({ resets });
          }}
        >
          <Stack gap="md">
            <Text>{t('people.resetText')}</Text>
            <ErrorNotice error={make.error} />
            <Radio.Group label={t('people.resetWhat')} value={resets} onChange={(value) => setResets(value)}>
              <Stack gap="xs" mt={4}>
                {lost.map(({ what, name: label, text }) => (
                  <Radio key={what} value={what} label={t(label)} description={t(text)} />
                ))}
              </Stack>
            </Radio.Group>
            <Group justify="flex-end">
              <Button type="submit" loading={make.isPending}>
                {t('people.resetMake')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
