import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../text/text.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown once. */
export interface Secret {
  readonly label: string;
  readonly value: string;
  /** An additional note. */
  readonly note?: ReactNode;
}

export interface SecretDialogProps {
  readonly title: string;
  readonly isOpen?: boolean;
  /** Whether the request is running. */
  readonly isBusy: boolean;
  /** Undefined until it is created. */
  readonly secret: Secret | undefined;
  readonly onClose: () => void;
  /** The form that is shown before. */
  readonly children: ReactNode;
}

/** A form that creates something with a secret. The secret then replaces the form. */
export function SecretDialog({ title, isOpen = true, isBusy, secret, onClose, children }: SecretDialogProps) {
  const { t } = useText();
  return (
    <Dialog isOpen={isOpen} isHeld={secret !== undefined || isBusy} onClose={onClose} title={title}>
      {secret ? (
        <Stack gap="lg">
          <CopyField label={secret.label} value={secret.value} once />
          {secret.note}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('common.done')}</Button>
          </Group>
        </Stack>
      ) : (
        children
      )}
    </Dialog>
  );
}
