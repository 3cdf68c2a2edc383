import { useReplacing } from '../../api/replacing.ts';
import type { Webhook } from '../../api/wire.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { kindName, type Side } from './side.ts';
import { type SaidWebhook, saidOf, useWebhookWish, WebhookFields, webhookLabels, wishOf } from './webhook-wish.tsx';

interface EditWebhookProps {
  readonly side: Side;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Changes the name, URL and events of a webhook. Detects a conflicting change by another user. */
export function EditWebhook({ side, webhook, onClose }: EditWebhookProps) {
  const { t } = useText();
  const form = useWebhookWish(webhook);
  const list = `${side.path}/webhooks`;
  const path = `${list}/${encodeURIComponent(webhook.id)}`;
  const edit = useReplacing<Webhook, SaidWebhook>(webhook, { method: 'PATCH', path, changes: [list] });
  const submit = form.onSubmit((wish) => edit.save(saidOf(wish), onClose));
  const told = (said: SaidWebhook, { status }: Webhook) => ({
    name: said.name,
    url: said.url,
    events: said.events?.map((kind) => kindName(kind, t)) ?? t('alerts.everything'),
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
          mine={edit.mine && told(edit.mine, edit.base)}
          theirs={(current) => told(current, current)}
          labels={{ ...webhookLabels(t), status: t('alerts.state') }}
          onKeepMine={(current) => edit.saveOver(current, onClose)}
          onTakeTheirs={(current) => {
            edit.adopt(current);
            form.setValues(wishOf(current));
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
