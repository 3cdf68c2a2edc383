import { Button, Group, Modal, Stack } from '@mantine/core';
import type { MadeKey } from '../../api/wire.ts';
import { useWrite } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useHeldOpen } from '../../components/held-open.ts';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { KeyTerms, useKeyTerms } from './key-terms.tsx';
import { emptyWish, type KeyWish, newKeyOf } from './key-wish.ts';
import { MadeKeyNotice } from './made-key.tsx';

export interface CreateKeyProps {
  readonly scope: KeyScope;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for a key's terms and then shows its secret, once. */
export function CreateKey({ scope, isOpen, onClose }: CreateKeyProps) {
  const { t, timeZone } = useText();
  const { path, accountId } = scope;
  const write = useWrite<MadeKey, KeyWish>({
    path,
    send: (wish) => ({
      ...newKeyOf(wish, { now: new Date(), timeZone }),
      ...(accountId !== undefined && { account: accountId }),
    }),
    // An operator's page of the account counts its keys.
    changes: [path, '/admin/v1/accounts'],
  });
  const held = useHeldOpen(write.data !== undefined || write.isPending);
  const close = () => {
    write.reset();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size={write.data ? 'xl' : 'lg'}
      {...held}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      title={t(write.data ? 'keys.madeTitle' : 'keys.createTitle')}
    >
      {write.data ? (
        <MadeKeyNotice made={write.data} onDone={close} />
      ) : (
        <TermsForm scope={scope} write={write} onCancel={close} />
      )}
    </Modal>
  );
}

interface TermsFormProps {
  readonly scope: KeyScope;
  readonly write: ReturnType<typeof useWrite<MadeKey, KeyWish>>;
  readonly onCancel: () => void;
}

function TermsForm({ scope, write, onCancel }: TermsFormProps) {
  const { t } = useText();
  const form = useKeyTerms(emptyWish);
  return (
    <form onSubmit={form.onSubmit((wish) => write.mutate(wish))}>
      <Stack gap="md">
        <KeyTerms form={form} scope={scope} />
        <ErrorNotice error={write.error} />
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
