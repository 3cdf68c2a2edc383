import { Badge, Menu, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { asPages, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Webhook, WebhookList } from '../../api/wire.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { AlertsIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { EditWebhook, NewWebhook, RotateSecret } from './webhook-dialogs.tsx';
import type { WebhookScope } from './side.ts';

export interface WebhookProps {
  readonly side: WebhookScope;
  readonly mayChange: boolean;
}

type WebhookDialog = { readonly action: 'edit' | 'rotate' | 'remove'; readonly webhook: Webhook };

/** The webhook endpoints and their actions. */
export function WebhooksCard({ side, mayChange }: WebhookProps) {
  const { t } = useText();
  const path = `${side.path}/webhooks`;
  const { data, error, refetch } = useRead<WebhookList>(path);
  const [isAdding, setAdding] = useState(false);
  const [dialog, setDialog] = useState<WebhookDialog>();
  const close = () => setDialog(undefined);
  const of = ({ id }: Webhook) => `${path}/${encodeURIComponent(id)}`;
  const changes = [path, `${side.path}/deliveries`];
  const remove = useWrite<unknown, Webhook>({ method: 'DELETE', path: of, send: () => undefined, changes });
  const test = useWrite<unknown, Webhook>({
    path: (one) => `${of(one)}/test`,
    send: () => undefined,
    changes,
    successMessage: () => t('alerts.tested'),
  });
  const toggle = useWrite<unknown, Webhook>({
    method: 'PATCH',
    path: of,
    send: ({ status }) => ({ is_on: status !== 'on' }),
    ifMatch: ({ version }) => version,
    changes,
  });
  const columns: readonly Column<Webhook>[] = [
    { key: 'name', header: t('common.name'), cell: (one) => <NameCell webhook={one} /> },
    { key: 'events', header: t('alerts.events'), wideOnly: true, cell: (one) => <EventsCell webhook={one} /> },
    { key: 'state', header: t('alerts.state'), minWidth: 144, cell: (one) => <StateCell webhook={one} /> },
    {
      key: 'actions',
      header: t('common.actions'),
      align: 'right',
      cell: (one) => (
        <RowMenu label={t('alerts.menu', { name: one.name })}>
          {one.status === 'on' && <Menu.Item onClick={() => test.mutate(one)}>{t('alerts.test')}</Menu.Item>}
          <Menu.Item onClick={() => toggle.mutate(one)}>
            {t(one.status === 'on' ? 'alerts.pause' : 'alerts.resume')}
          </Menu.Item>
          {one.source === 'store' && (
            <>
              <Menu.Item onClick={() => setDialog({ action: 'edit', webhook: one })}>{t('common.edit')}</Menu.Item>
              <Menu.Item onClick={() => setDialog({ action: 'rotate', webhook: one })}>{t('alerts.rotate')}</Menu.Item>
              <Menu.Item color="red" onClick={() => setDialog({ action: 'remove', webhook: one })}>
                {t('common.remove')}
              </Menu.Item>
            </>
          )}
        </RowMenu>
      ),
    },
  ];
  const add = mayChange && <AddButton onClick={() => setAdding(true)}>{t('alerts.add')}</AddButton>;
  return (
    <SectionCard title={t('alerts.webhooks')} text={t('alerts.webhooksText')} action={add}>
      <Stack gap="md">
        <ErrorNotice error={test.error ?? toggle.error} />
        <DataTable
          label={t('alerts.webhooks')}
          columns={columns.filter(({ key }) => mayChange || key !== 'actions')}
          pages={asPages({ data: data?.data, error, refetch })}
          rowKey={({ id }) => id}
          empty={<EmptyState icon={<AlertsIcon />} title={t('alerts.none')} text={t('alerts.noneText')} />}
        />
      </Stack>
      {isAdding && <NewWebhook side={side} onClose={() => setAdding(false)} />}
      {dialog?.action === 'edit' && <EditWebhook side={side} webhook={dialog.webhook} onClose={close} />}
      {dialog?.action === 'rotate' && <RotateSecret side={side} webhook={dialog.webhook} onClose={close} />}
      <ConfirmDialog
        isOpen={dialog?.action === 'remove'}
        title={t('alerts.removeTitle', { name: dialog?.webhook.name ?? '' })}
        text={t('alerts.removeText')}
        action={t('common.remove')}
        write={remove}
        body={dialog?.webhook}
        onClose={close}
      />
    </SectionCard>
  );
}

function NameCell({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useText();
  return (
    <div>
      <Text fw={520}>{webhook.name}</Text>
      <Text fz="sm" c="dimmed" lineClamp={2}>
        {webhook.url}
      </Text>
      {webhook.source === 'file' && (
        <Text fz="sm" c="dimmed">
          {t('alerts.inFile')}
        </Text>
      )}
    </div>
  );
}

function EventsCell({ webhook: { events } }: { readonly webhook: Webhook }) {
  const { t } = useText();
  return events === null ? t('alerts.everything') : t('alerts.count', { count: events.length });
}

const colors = { on: 'accent', paused: 'gray', failed: 'red' } as const;

function StateCell({ webhook: { status, failing_since: since } }: { readonly webhook: Webhook }) {
  const { t } = useText();
  const format = useFormat();
  return (
    <div>
      <Badge color={colors[status]}>{t(`alerts.${status}`)}</Badge>
      {status === 'on' && since !== null && (
        <Text fz="sm" c="dimmed">
          {t('alerts.failing', { time: format.relative(since) })}
        </Text>
      )}
    </div>
  );
}
