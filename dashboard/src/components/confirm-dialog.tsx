import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { useText } from '../text/text.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** The effect of the action, and whether it can be undone. */
  readonly text: ReactNode;
  /** The verb on the button: "Revoke", not "OK". */
  readonly action: string;
  /** A text that the user must type first, for actions where a slip is expensive. */
  readonly typed?: string;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly error?: ApiError | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before an action that is hard to undo. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useText();
  const { isOpen, typed, isDangerous = true } = props;
  const [written, setWritten] = useState('');
  const isGone = props.error?.isGone ?? false;
  useEffect(() => setWritten(''), [isOpen]);
  return (
    <Dialog isOpen={isOpen} isHeld={props.isBusy} onClose={props.onClose} title={props.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onConfirm();
        }}
      >
        <Stack gap="md">
          <Text component="div">{props.text}</Text>
          {typed !== undefined && (
            <TextInput
              label={t('common.confirmTyping', { word: typed })}
              value={written}
              onChange={({ currentTarget }) => setWritten(currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <ErrorNotice error={props.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={props.isBusy === true} onClick={props.onClose}>
              {t(isGone ? 'common.close' : 'common.cancel')}
            </Button>
            {!isGone && (
              <Button
                type="submit"
                color={isDangerous ? 'red.8' : undefined}
                loading={props.isBusy}
                disabled={typed !== undefined && written !== typed}
              >
                {props.action}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
