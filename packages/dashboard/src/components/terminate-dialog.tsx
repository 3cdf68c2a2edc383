import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/write.ts';
import { useText } from '../text/text.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface TerminateDialogProps {
  readonly title: string;
  readonly text: string;
  /** Explains the option to terminate running requests. */
  readonly help: string;
  readonly action: string;
  /** The API path of the key or account. */
  readonly path: string;
  /** The endpoint below `path` that lets running requests finish. */
  readonly verb: 'suspend' | 'revoke';
  readonly changes: readonly string[];
  readonly successMessage: string;
  readonly onClose: () => void;
}

/** Suspends an account or revokes a key and, if chosen, terminates its running requests. */
export function TerminateDialog(props: TerminateDialogProps) {
  const { title, text, help, action, path, verb, changes, successMessage, onClose } = props;
  const { t } = useText();
  const [areStreamsTerminated, setAreStreamsTerminated] = useState(false);
  const write = useWrite<unknown, { readonly areStreamsTerminated: boolean }>({
    path: (choice) => `${path}/${choice.areStreamsTerminated ? 'terminate' : verb}`,
    send: () => undefined,
    changes,
    successMessage: () => successMessage,
  });
  return (
    <ConfirmDialog
      isOpen
      title={title}
      text={
        <Stack gap="md">
          <Text>{text}</Text>
          <Checkbox
            label={t('keys.terminate')}
            description={help}
            checked={areStreamsTerminated}
            onChange={({ currentTarget }) => setAreStreamsTerminated(currentTarget.checked)}
          />
        </Stack>
      }
      action={action}
      write={write}
      body={{ areStreamsTerminated }}
      onClose={onClose}
    />
  );
}
