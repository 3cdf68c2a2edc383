import { Text } from '@mantine/core';
import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import type { CreatedWebhook, Webhook } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { RadioList } from '../../components/radio-list.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { kindName, type WebhookScope } from './side.ts';
import { bodyOf, useWebhookForm, type WebhookBody, WebhookFields, webhookLabels } from './webhook-fields.tsx';

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
  const edit = useReplacing<Webhook, WebhookBody>(webhook, {
    method: 'PATCH',
    path,
    changes: [list],
    onSaved: onClose,
    fieldsOf: ({ name, url, events, status }) => ({ name, url, events, status }),
    labels: { ...webhookLabels(t), status: t('alerts.state') },
    lists: { events: 'set' },
    valueText: (field, value) => {
      if (field === 'status') return t(`alerts.${value as Webhook['status']}`);
      if (field !== 'events') return undefined;
      return (value as Webhook['events'])?.map((kind) => kindName(kind, t)).join(', ') ?? t('alerts.everything');
    },
  });
  const submit = form.onSubmit((values) => edit.save(bodyOf(values)));
  return (
    <EntryDialog
      isOpen
      title={t('alerts.editTitle', { name: webhook.name })}
      edit={edit}
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
  return (
    <SecretDialog
      title={t('alerts.addTitle')}
      write={write}
      secret={({ name, secret }) => ({ label: t('alerts.secret', { name }), value: secret })}
      action={t('alerts.add')}
      labels={webhookLabels(t)}
      onSubmit={form.onSubmit((values) => write.mutate(bodyOf(values)))}
      onClose={onClose}
    >
      <WebhookFields side={side} form={form} />
    </SecretDialog>
  );
}

const overlaps = ['now', '1h', '24h', '168h'] as const;

type Overlap = (typeof overlaps)[number];

/** Rotates the secret of a webhook. The old secret also signs for a while. */
export function RotateSecret({ side, webhook, onClose }: EditWebhookProps) {
  const { t } = useText();
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const path = `${side.path}/webhooks`;
  const write = useWrite<CreatedWebhook, { readonly overlap: Overlap }>({
    path: `${path}/${encodeURIComponent(webhook.id)}/rotate`,
    ifMatch: () => webhook.version,
    changes: [path],
  });
  return (
    <SecretDialog
      title={t('alerts.rotateTitle', { name: webhook.name })}
      write={write}
      secret={({ name, secret }) => ({ label: t('alerts.secret', { name }), value: secret })}
      action={t('alerts.rotate')}
      onSubmit={() => write.mutate({ overlap })}
      onClose={onClose}
    >
      <Text>{t('alerts.rotateText')}</Text>
      <RadioList
        label={t('alerts.overlap')}
        value={overlap}
        options={overlaps.map((value) => ({ value, label: t(`alerts.overlap_${value}`) }))}
        onChange={setOverlap}
      />
    </SecretDialog>
  );
}
