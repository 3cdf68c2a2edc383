import { Badge, Code, Group } from '@mantine/core';
import type { Replica } from '../../api/wire.ts';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { Part } from './part.tsx';

/** The processes on this store and their last heartbeats. */
export function Replicas({ replicas }: { readonly replicas: readonly Replica[] | undefined }) {
  const { t } = useText();
  const columns: readonly Column<Replica>[] = [
    {
      key: 'id',
      header: t('system.replica'),
      cell: (replica) => (
        <Group gap="xs">
          <Code>{replica.id}</Code>
          {replica.is_self && <Badge color="gray">{t('system.self')}</Badge>}
        </Group>
      ),
    },
    {
      key: 'state',
      header: t('system.state'),
      cell: (replica) => (
        <Badge color={replica.is_alive ? 'accent' : 'red'}>
          {t(replica.is_alive ? 'system.alive' : 'system.noHeartbeat')}
        </Badge>
      ),
    },
    {
      key: 'started',
      header: t('system.started'),
      align: 'right',
      cell: ({ started_at: at }) => <When at={at} as="date-time" />,
    },
    { key: 'seen', header: t('system.lastSeen'), align: 'right', cell: ({ last_seen_at: at }) => <When at={at} /> },
  ];
  return (
    <Part title={t('system.replicas')} text={t('system.replicasText')}>
      <DataTable
        label={t('system.replicas')}
        columns={columns}
        pages={asPages({ data: replicas })}
        rowKey={({ id }) => id}
        empty={null}
      />
    </Part>
  );
}
