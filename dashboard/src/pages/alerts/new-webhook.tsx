import { Button, Group, Stack } from '@mantine/core';
import { useWrite } from '../../api/write.ts';
import type { CreatedWebhook } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';
import type { WebhookScope } from './side.ts';
import { type WebhookBody, bodyOf, useWebhookForm, WebhookFields, webhookLabels } from './webhook-wish.tsx';

interface NewWebhookProps {
  readonly side: WebhookScope;
  readonly onClose: () => void;
}

/** Creates a webhook and shows its secret once. */
export function NewWebhook({ side, onClose }: NewWebhookProps) {
  const { t } = useText();
  const form = useWebhookForm();
  const path = `${side.path}/webhooks`;
  const write = useWrite<CreatedWebhook, WebhookBody>({
    path,
    send: ({ events, ...body }) => ({ ...body, ...(events && { events }) }),
    changes: [path],
  });
  const { data: made } = write;
  return (
    <SecretDialog
      title={t('alerts.addTitle')}
      isBusy={write.isPending}
      secret={made && { label: t('alerts.secret', { name: made.name }), value: made.secret }}
      onClose={onClose}
    >
      <form noValidate onSubmit={form.onSubmit((values) => write.mutate(bodyOf(values)))}>
        <Stack gap="md">
          <WebhookFields side={side} form={form} />
          <ErrorNotice error={write.error} labels={webhookLabels(t)} />
          <Group justify="flex-end">
            <Button type="submit" loading={write.isPending}>
              {t('alerts.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SecretDialog>
  );
}
