import { Button, Checkbox, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useWrite } from '../../api/write.ts';
import type { MadeWebhook, NewWebhook, Webhook } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';
import { kindName, type Side } from './side.ts';

interface DialogProps {
  readonly side: Side;
  /** Left out: a new one is made. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
}

/** What a webhook is called, where it is and what it is told; the secret of a new one is shown this once. */
export function WebhookDialog({ side, webhook, onClose }: DialogProps) {
  const { t } = useText();
  const path = `${side.path}/webhooks`;
  const write = useWrite<MadeWebhook, NewWebhook>({
    method: webhook ? 'PATCH' : 'POST',
    path: webhook ? `${path}/${encodeURIComponent(webhook.id)}` : path,
    // What is left out of a change stays: everything has to be said.
    send: ({ events, ...rest }) => ({ ...rest, ...(webhook ? { events: events ?? null } : events && { events }) }),
    ifMatch: () => webhook?.version,
    changes: [path],
  });
  const made = webhook ? undefined : write.data;
  return (
    <SecretDialog
      title={webhook ? t('alerts.editTitle', { name: webhook.name }) : t('alerts.addTitle')}
      isBusy={write.isPending}
      secret={made && { label: t('alerts.secret', { name: made.name }), value: made.secret }}
      onClose={onClose}
    >
      <Wish
        side={side}
        webhook={webhook}
        isBusy={write.isPending}
        error={write.error}
        onWish={(wish) => write.mutate(wish, webhook && { onSuccess: onClose })}
      />
    </SecretDialog>
  );
}

interface WishProps {
  readonly side: Side;
  readonly webhook: Webhook | undefined;
  readonly isBusy: boolean;
  readonly error: Parameters<typeof ErrorNotice>[0]['error'];
  readonly onWish: (wish: NewWebhook) => void;
}

function Wish({ side, webhook, isBusy, error, onWish }: WishProps) {
  const { t } = useText();
  const form = useForm({
    initialValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? 'https://',
      isAll: webhook ? webhook.events === null : true,
      events: webhook?.events ?? [],
    },
  });
  const { isAll, events } = form.values;
  const send = ({ name, url }: { name: string; url: string }) =>
    onWish({ name, url: url.trim(), ...(!isAll && { events: [...events] }) });
  return (
    <form onSubmit={form.onSubmit(send)}>
      <Stack gap="md">
        <ErrorNotice error={error} />
        <TextInput
          label={t('common.name')}
          required
          withAsterisk={false}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('alerts.url')}
          required
          withAsterisk={false}
          type="url"
          maxLength={2000}
          autoComplete="off"
          {...form.getInputProps('url')}
        />
        <Switch label={t('alerts.everything')} {...form.getInputProps('isAll', { type: 'checkbox' })} />
        {!isAll && (
          <Checkbox.Group label={t('alerts.events')} {...form.getInputProps('events')}>
            <Stack gap="xs" mt={4}>
              {side.kinds.map((kind) => (
                <Checkbox key={kind} value={kind} label={kindName(kind, t)} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={!isAll && events.length === 0}>
            {t(webhook ? 'common.save' : 'alerts.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
