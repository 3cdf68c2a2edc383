import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import type { CreatedKey, OwnModel, OwnModels } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { snippetsOf } from '../models/snippets.ts';
import type { KeyScope } from './key-scope.ts';
import { keyLabels, KeyTerms, useKeyTerms } from './key-terms.tsx';
import { emptyKeyForm, type KeyFormValues, newKeyOf } from './key-wish.ts';

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

interface MadeKeyProps {
  readonly made: CreatedKey;
  readonly onDone: () => void;
}

/** Shows the secret once, and a request that uses it. */
export function MadeKeyNotice({ made, onDone }: MadeKeyProps) {
  const { t } = useText();
  const models = useRead<OwnModels>('/account/v1/models').data;
  const model = models && firstFor(models.data, made.models);
  return (
    <Stack gap="lg">
      <Alert color="accent" icon={<CheckIcon />} role="status">
        {t('keys.createdText', { name: made.name })}
      </Alert>
      <CopyField label={t('keys.secret')} value={made.secret} once />
      {models && model && (
        <div>
          <Text fz="sm" fw={500} mb={6}>
            {t('keys.tryIt')}
          </Text>
          <CodeBlock
            remembered="snippet"
            snippets={snippetsOf({
              baseUrls: models.base_urls,
              model: model.id,
              surfaces: model.surfaces,
              key: made.secret,
            })}
          />
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>{t('keys.saved')}</Button>
      </Group>
    </Stack>
  );
}

/** A model that the key may call. If its limits are patterns, any model of the account serves as an example. */
function firstFor(models: readonly OwnModel[], limits: readonly string[] | null): OwnModel | undefined {
  return (
    models.find(({ id, aliases }) => !limits || [id, ...aliases].some((name) => limits.includes(name))) ?? models[0]
  );
}
