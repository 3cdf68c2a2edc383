import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { FileIcon } from '../icons.tsx';
import type { FieldLabels } from '../text/field-labels.ts';
import { useText } from '../text/text.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

export interface EntryDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** The configuration file owns the entry: it is shown, and says where to change it. */
  readonly isFileOwned?: boolean;
  readonly isReadOnly?: boolean;
  /** The address says that it is open. */
  readonly isInAddress?: boolean;
  /** The verb of the button; "Save" if left out. */
  readonly action?: string;
  readonly isBusy?: boolean;
  readonly error?: ApiError | null;
  /** What the form calls the fields that a refusal names. */
  readonly labels?: FieldLabels;
  /** Says what went wrong in place of the error. */
  readonly notice?: ReactNode;
  /** Stands opposite the buttons, such as the way to remove the entry. */
  readonly aside?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form over the page: the fields, what went wrong, and the two ways out. */
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
