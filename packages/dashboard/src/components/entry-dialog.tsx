import { Alert, Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { FileIcon } from '../icons.tsx';
import type { FieldLabels } from '../text/error-text.ts';
import { useText } from '../text/text.tsx';
import type { Edit } from './conflict-choice.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { Dialog, DialogFooter } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Form } from './form.tsx';

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
  /** For a dialog that changes an entry; replaces `isBusy` and `error`. */
  readonly edit?: Edit | undefined;
  /** Shown opposite the buttons, for example a button that removes the entry. */
  readonly aside?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog: the fields, the error, and the buttons to submit or cancel. */
export function EntryDialog(props: EntryDialogProps) {
  const { t } = useText();
  const { edit, isFileOwned = false, isReadOnly = isFileOwned } = props;
  const { isBusy = edit?.isPending ?? false } = props;
  return (
    <Dialog
      isOpen={props.isOpen}
      isLocked={isBusy}
      isInAddress={props.isInAddress}
      onClose={props.onClose}
      title={props.title}
      size="lg"
    >
      <Form onSubmit={() => props.onSubmit()}>
        <Stack gap="md">
          {isFileOwned && (
            <Alert color="gray" icon={<FileIcon />} title={t('common.ownedByFile')}>
              {t('common.ownedByFileHelp')}
            </Alert>
          )}
          {props.children}
          {edit ? <ConflictNotice edit={edit} /> : <ErrorNotice error={props.error} labels={props.labels} />}
          <DialogFooter>
            {props.aside}
            <Button ml="auto" variant="default" disabled={isBusy} onClick={props.onClose}>
              {t(isReadOnly ? 'common.close' : 'common.cancel')}
            </Button>
            {!isReadOnly && (
              <Button type="submit" loading={isBusy}>
                {props.action ?? t('common.save')}
              </Button>
            )}
          </DialogFooter>
        </Stack>
      </Form>
    </Dialog>
  );
}
