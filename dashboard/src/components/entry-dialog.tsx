import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { FileIcon } from '../icons.tsx';
import type { FieldLabels } from '../text/error-text.ts';
import { useText } from '../text/text.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

export interface EntryDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** The configuration file owns the entry: the dialog is read-only and names the file. */
  readonly isFileOwned?: boolean;
  readonly isReadOnly?: boolean;
  /** The URL contains the open state. */
  readonly isInAddress?: boolean;
  /** The verb on the button. Default: "Save". */
  readonly action?: string;
  readonly isBusy?: boolean;
  readonly error?: ApiError | null;
  /** The labels of the form fields that an error may name. */
  readonly labels?: FieldLabels;
  /** Replaces the error notice. */
  readonly notice?: ReactNode;
  /** Shown opposite the buttons, for example a button that removes the entry. */
  readonly aside?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog: the fields, the error, and the buttons to submit or cancel. */
export function EntryDialog(props: EntryDialogProps) {
  const { t } = useText();
  const { isFileOwned = false, isReadOnly = isFileOwned } = props;
  return (
    <Dialog
      isOpen={props.isOpen}
      isHeld={props.isBusy}
      isInAddress={props.isInAddress}
      onClose={props.onClose}
      title={props.title}
      size="lg"
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        <Stack gap="md">
          {isFileOwned && (
            <Alert color="gray" icon={<FileIcon />} title={t('common.ownedByFile')}>
              {t('common.ownedByFileHelp')}
            </Alert>
          )}
          {props.children}
          {props.notice ?? <ErrorNotice error={props.error} labels={props.labels} />}
          <Group gap="xs" mt="xs">
            {props.aside}
            <Button ml="auto" variant="default" disabled={props.isBusy === true} onClick={props.onClose}>
              {t(isReadOnly ? 'common.close' : 'common.cancel')}
            </Button>
            {!isReadOnly && (
              <Button type="submit" loading={props.isBusy}>
                {props.action ?? t('common.save')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
