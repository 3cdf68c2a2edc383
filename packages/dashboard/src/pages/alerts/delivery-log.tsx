import { Badge, Button, Stack, Text } from '@mantine/core';
import { refetchMs, usePages, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Delivery, WebhookList } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { When } from '../../components/when.tsx';
import { RequestsIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { kindName } from './side.ts';
import type { WebhookProps } from './webhooks-card.tsx';

/** Deliveries to webhooks, their results, and a button to send one again. */
export function DeliveryLog({ side, mayChange }: WebhookProps) {
  const { t } = useText();
  const path = `${side.path}/deliveries`;
  const pages = usePages<Delivery>(path, {}, pollIntervalOf);
  const everyMs = pollIntervalOf(pages.rows ?? []);
  const webhooks = useRead<WebhookList>(`${side.path}/webhooks`, {}, { refetchInterval: everyMs }).data?.data ?? [];
  const names = new Map(webhooks.map(({ id, name }) => [id, name]));
  const again = useWrite<unknown, Delivery>({
    path: ({ id }) => `${path}/${encodeURIComponent(id)}/redeliver`,
    send: () => undefined,
    changes: [path],
    successMessage: () => t('alerts.sentAgain'),
  });
  const columns: readonly Column<Delivery>[] = [
    {
      key: 'event',
      header: t('alerts.event'),
      cell: ({ event, event_id: id }) => (
        <div>
          <Text fw={520}>{kindName(event, t)}</Text>
          <Text fz="xs" c="dimmed" ff="monospace">
            {id}
          </Text>
        </div>
      ),
    },
    { key: 'to', header: t('alerts.to'), cell: ({ webhook_id: id }) => names.get(id) ?? id },
    { key: 'when', header: t('alerts.when'), cell: ({ created_at: at }) => <When at={at} /> },
    { key: 'result', header: t('alerts.result'), minWidth: 132, cell: (delivery) => <Outcome delivery={delivery} /> },
    {
      key: 'again',
      header: t('common.actions'),
      align: 'right',
      cell: (delivery) => (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => again.mutate(delivery)}>
          {t('alerts.again')}
        </Button>
      ),
    },
  ];
  return (
    <SectionCard title={t('alerts.log')}>
      <Stack gap="md">
        <ErrorNotice error={again.error} />
        <DataTable
          label={t('alerts.log')}
          columns={columns.filter(({ key }) => mayChange || key !== 'again')}
          pages={pages}
          rowKey={({ id }) => id}
          empty={<EmptyState icon={<RequestsIcon />} title={t('alerts.logNone')} text={t('alerts.logNoneText')} />}
        />
      </Stack>
    </SectionCard>
  );
}

/** Polls faster while an attempt is due soon, because the user waits for its result. */
function pollIntervalOf(rows: readonly Delivery[]): number {
  const soon = Date.now() + refetchMs;
  return rows.some(({ next_at: next }) => next !== null && Date.parse(next) < soon) ? duePollMs : refetchMs;
}

const duePollMs = 3000;

/** An attempt that is due within this time is shown as due now. */
const soonMs = 15_000;

const states = {
  delivered: { color: 'accent', words: 'alerts.delivered' },
  waiting: { color: 'gray', words: 'alerts.waiting' },
  'given-up': { color: 'red', words: 'alerts.deliveryFailed' },
} as const;

function Outcome({
  delivery: { state, attempts, attempt_count: count, next_at: next },
}: {
  readonly delivery: Delivery;
}) {
  const { t } = useText();
  const format = useFormat();
  const { color, words } = states[state];
  const last = attempts.at(-1);
  // A due attempt may be late, and a next attempt in the past or right now would look wrong.
  const nextAttempt = (at: string) =>
    Date.parse(at) <= Date.now() + soonMs ? t('alerts.nextNow') : t('alerts.next', { time: format.relative(at) });
  const sentences = [
    ...(last?.fault ? [t(`alerts.fault_${last.fault}`, { status: last.status ?? 0 })] : []),
    ...(count > 1 ? [t('alerts.attempts', { count })] : []),
    ...(next !== null && count > 0 ? [nextAttempt(next)] : []),
  ];
  return (
    <div>
      <Badge color={color}>{t(words)}</Badge>
      {sentences.map((sentence) => (
        <Text key={sentence} fz="sm" c="dimmed">
          {sentence}
        </Text>
      ))}
    </div>
  );
}
