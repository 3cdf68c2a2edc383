import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useWrite } from '../../api/queries.ts';
import type { UpstreamKeys } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { KeysField } from '../upstreams/keys-field.tsx';
import { linesOf } from '../upstreams/upstream-values.ts';

export interface RotateDialogProps {
  readonly name: string;
  readonly variable: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRotated: () => void;
}

/** Other credentials in place of those that are set. */
export function RotateDialog({ name, variable, isOpen, onClose, onRotated }: RotateDialogProps) {
  const { t } = useText();
  const [keys, setKeys] = useState('');
  const rotate = useWrite<unknown, UpstreamKeys>({
    path: `/admin/v1/upstreams/${encodeURIComponent(name)}/keys`,
    changes: ['/admin/v1/upstreams'],
  });
  const close = () => {
    setKeys('');
    rotate.reset();
    onClose();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={t('upstreams.rotateTitle', { name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate(
            { api_keys: linesOf(keys) },
            {
              onSuccess: () => {
                notifications.show({ message: t('upstreams.rotated') });
                close();
                onRotated();
              },
            },
          );
        }}
      >
        <Stack gap="md">
          <Text fz="sm">{t('upstreams.rotateText')}</Text>
          <KeysField variable={variable} value={keys} onChange={setKeys} isRequired />
          <ErrorNotice error={rotate.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={rotate.isPending} disabled={linesOf(keys).length === 0}>
              {t('upstreams.rotate')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
