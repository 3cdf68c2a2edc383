import { useReplacing } from '../../api/replacing.ts';
import type { Webhook } from '../../api/wire.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { kindName, type WebhookScope } from './side.ts';
import {
  type WebhookBody,
  bodyOf,
  useWebhookForm,
  WebhookFields,
  webhookLabels,
  formValuesOf,
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
