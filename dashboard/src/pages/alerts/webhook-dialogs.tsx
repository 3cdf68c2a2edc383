import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { CreatedWebhook, Webhook } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { kindName, type WebhookScope } from './side.ts';
import {
  bodyOf,
  formValuesOf,
  useWebhookForm,
  type WebhookBody,
  WebhookFields,
  webhookLabels,
} from './webhook-wish.tsx';

interface EditWebhookProps {
  readonly side: WebhookScope;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Changes the name, URL and events of a webhook. Detects a conflicting change by another user. */
export function EditWebhook({ side, webhook, onClose }: EditWebhookProps) {
  const { t } = useText();
  const form = useWebhookForm(webhook);
  const list = `${side.path}/webhooks`;
  const path = `${list}/${encodeURIComponent(webhook.id)}`;
  const edit = useReplacing<Webhook, WebhookBody>(webhook, { method: 'PATCH', path, changes: [list] });
  const submit = form.onSubmit((values) => edit.save(bodyOf(values), onClose));
  const comparable = (body: WebhookBody, { status }: Webhook) => ({
    name: body.name,
    url: body.url,
    events: body.events?.map((kind) => kindName(kind, t)) ?? t('alerts.everything'),
    status: t(`alerts.${status}`),
  });
  return (
    <EntryDialog
      isOpen
      title={t('alerts.editTitle', { name: webhook.name })}
      isBusy={edit.isPending}
      notice={
        <ConflictNotice<Webhook>
          error={edit.error}
          path={path}
          subject={{ kind: 'webhook', id: webhook.id }}
          mine={edit.mine && comparable(edit.mine, edit.base)}
          theirs={(current) => comparable(current, current)}
          labels={{ ...webhookLabels(t), status: t('alerts.state') }}
          onKeepMine={(current) => edit.saveOver(current, onClose)}
          onTakeTheirs={(current) => {
            edit.adopt(current);
            form.setValues(formValuesOf(current));
          }}
        />
      }
      onSubmit={() => submit()}
      onClose={onClose}
    >
      <WebhookFields side={side} form={form} />
    </EntryDialog>
  );
}

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

const overlaps = ['now', '1h', '24h', '168h'] as const;

type Overlap = (typeof overlaps)[number];

interface RotateProps {
  readonly side: WebhookScope;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Rotates the secret of a webhook. The old secret also signs for a while. */
export function RotateSecret({ side, webhook, onClose }: RotateProps) {
  const { t } = useText();
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const path = `${side.path}/webhooks`;
  const write = useWrite<CreatedWebhook, { readonly overlap: Overlap }>({
    path: `${path}/${encodeURIComponent(webhook.id)}/rotate`,
    ifMatch: () => webhook.version,
    changes: [path],
  });
  const { data: made } = write;
  return (
    <SecretDialog
      title={t('alerts.rotateTitle', { name: webhook.name })}
      isBusy={write.isPending}
      secret={made && { label: t('alerts.secret', { name: made.name }), value: made.secret }}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text>{t('alerts.rotateText')}</Text>
        <Radio.Group
          label={t('alerts.overlap')}
          value={overlap}
          onChange={(value) => setOverlap(overlaps.find((each) => each === value) ?? '24h')}
        >
          <Stack gap="xs" mt="xs">
            {overlaps.map((value) => (
              <Radio key={value} value={value} label={t(`alerts.overlap_${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <ErrorNotice error={write.error} />
        <Group justify="flex-end">
          <Button loading={write.isPending} onClick={() => write.mutate({ overlap })}>
            {t('alerts.rotate')}
          </Button>
        </Group>
      </Stack>
    </SecretDialog>
  );
}
