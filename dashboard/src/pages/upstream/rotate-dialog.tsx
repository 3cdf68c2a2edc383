import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { UpstreamKeys } from '../../api/wire.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { KeysField } from '../upstreams/keys-field.tsx';
import { upstreamLabels } from '../upstreams/upstream-labels.ts';
import { linesOf } from '../upstreams/upstream-values.ts';

export interface RotateDialogProps {
  readonly name: string;
  readonly variable: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRotated: () => void;
}

/** Replaces the credentials of an upstream. */
export function RotateDialog({ name, variable, isOpen, onClose, onRotated }: RotateDialogProps) {
  const { t } = useText();
  const [keys, setKeys] = useState('');
  const rotate = useWrite<unknown, UpstreamKeys>({
    path: `/admin/v1/upstreams/${encodeURIComponent(name)}/keys`,
    changes: ['/admin/v1/upstreams'],
    successMessage: () => t('upstreams.rotated'),
  });
  const close = () => {
    setKeys('');
    rotate.reset();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} isHeld={rotate.isPending} onClose={close} title={t('upstreams.rotateTitle', { name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate(
            { api_keys: linesOf(keys) },
            {
              onSuccess: () => {
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
          <ErrorNotice error={rotate.error} labels={upstreamLabels(t)} />
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
    </Dialog>
  );
}
