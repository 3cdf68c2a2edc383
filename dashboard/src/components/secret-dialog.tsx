import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../text/text.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';

/** What is shown this once. */
export interface Secret {
  readonly label: string;
  readonly value: string;
  /** What else there is to say of it. */
  readonly note?: ReactNode;
}

export interface SecretDialogProps {
  readonly title: string;
  readonly isOpen?: boolean;
  /** Whether it is on its way. */
  readonly isBusy: boolean;
  /** Undefined until it is made. */
  readonly secret: Secret | undefined;
  readonly onClose: () => void;
  /** What is asked before it is made. */
  readonly children: ReactNode;
}

/** Asks for something that has a secret, and shows the secret in place of the questions. */
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
