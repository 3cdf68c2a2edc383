import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { useText } from '../text/text.tsx';
import { Dialog, DialogFooter } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Form } from './form.tsx';

export interface ConfirmDialogProps<Body> {
  readonly isOpen: boolean;
  readonly title: string;
  /** The effect of the action, and whether it can be undone. */
  readonly text: ReactNode;
  /** The verb on the button: "Revoke", not "OK". */
  readonly action: string;
  /** A text that the user must type first, for actions where a slip is expensive. */
  readonly typed?: string;
  readonly isDangerous?: boolean;
  readonly write: ConfirmedWrite<Body>;
  /** Undefined only while the dialog is closed, or if the write has no body. */
  readonly body?: Body | undefined;
  /** Called after the write. Default: `onClose`. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** The part of `useWrite` that the dialog needs. */
interface ConfirmedWrite<Body> {
  readonly mutate: (body: Body, options: { readonly onSuccess: () => void }) => void;
  readonly isPending: boolean;
  readonly error: ApiError | null;
}

/** Asks for confirmation before an action that is hard to undo, then runs it and closes. */
export function ConfirmDialog<Body = void>(props: ConfirmDialogProps<Body>) {
  const { t } = useText();
  const { isOpen, typed, isDangerous = true, onClose, onDone = onClose } = props;
  const { mutate, isPending, error } = props.write;
  const [written, setWritten] = useState('');
  const isGone = error?.isGone ?? false;
  useEffect(() => setWritten(''), [isOpen]);
  return (
    <Dialog isOpen={isOpen} isLocked={isPending} onClose={onClose} title={props.title}>
      <Form onSubmit={() => mutate(props.body as Body, { onSuccess: onDone })}>
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
          <ErrorNotice error={error} />
          <DialogFooter>
            <Button variant="default" disabled={isPending} onClick={onClose}>
              {t(isGone ? 'common.close' : 'common.cancel')}
            </Button>
            {!isGone && (
              <Button
                type="submit"
                color={isDangerous ? 'red.8' : undefined}
                loading={isPending}
                disabled={typed !== undefined && written !== typed}
              >
                {props.action}
              </Button>
            )}
          </DialogFooter>
        </Stack>
      </Form>
    </Dialog>
  );
}
