import { Button, Group, Stack } from '@mantine/core';
import type { CreatedKey } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { keyLabels } from './key-labels.ts';
import { KeyTerms, useKeyTerms } from './key-terms.tsx';
import { emptyKeyForm, type KeyFormValues, newKeyOf } from './key-wish.ts';
import { MadeKeyNotice } from './made-key.tsx';

export interface CreateKeyProps {
  readonly scope: KeyScope;
  readonly isOpen: boolean;
  /** The URL contains the open state. */
  readonly isInAddress?: boolean;
  readonly onClose: () => void;
}

/** Asks for the terms of a key, then shows its secret once. */
export function CreateKey({ scope, isOpen, isInAddress, onClose }: CreateKeyProps) {
  const { t, timeZone } = useText();
  const { path, accountId } = scope;
  const write = useWrite<CreatedKey, KeyFormValues>({
    path,
    send: (values) => ({
      ...newKeyOf(values, { now: new Date(), timeZone }),
      ...(accountId !== undefined && { account: accountId }),
    }),
    // The operator's page of the account shows a count of keys.
    changes: [path, '/admin/v1/accounts'],
  });
  const close = () => {
    write.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      isInAddress={isInAddress}
      onClose={close}
      size={write.data ? 'xl' : 'lg'}
      isHeld={write.data !== undefined || write.isPending}
      title={t(write.data ? 'keys.createdTitle' : 'keys.createTitle')}
    >
      {write.data ? (
        <MadeKeyNotice made={write.data} onDone={close} />
      ) : (
        <TermsForm scope={scope} write={write} onCancel={close} />
      )}
    </Dialog>
  );
}

interface TermsFormProps {
  readonly scope: KeyScope;
  readonly write: ReturnType<typeof useWrite<CreatedKey, KeyFormValues>>;
  readonly onCancel: () => void;
}

function TermsForm({ scope, write, onCancel }: TermsFormProps) {
  const { t } = useText();
  const form = useKeyTerms(emptyKeyForm);
  return (
    <form onSubmit={form.onSubmit((values) => write.mutate(values))}>
      <Stack gap="md">
        <KeyTerms form={form} scope={scope} />
        <ErrorNotice error={write.error} labels={keyLabels(t)} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={write.isPending}>
            {t('keys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
