import { Badge, Text } from '@mantine/core';
import { asPages } from '../../api/queries.ts';
import type { DeadLetterCharge } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { Part } from './part.tsx';

/** Dead-letter charges: the store rejected them although it accepts others. Renders nothing if there are none. */
export function DeadLetterCharges({ charges }: { readonly charges: readonly DeadLetterCharge[] }) {
  const { t } = useText();
  const columns: readonly Column<DeadLetterCharge>[] = [
    { key: 'at', header: t('system.deadLetterTime'), cell: ({ at }) => <When at={at} /> },
    {
      key: 'state',
      header: t('system.state'),
      cell: ({ is_booked: isBooked }) => (
        <Badge color={isBooked ? 'gray' : 'red'}>
          {t(isBooked ? 'system.deadLetterBooked' : 'system.deadLetterOpen')}
        </Badge>
      ),
    },
    {
      key: 'account',
      header: t('system.storedAccount'),
      cell: ({ account, account_id: id }) => (
        <ViewAnchor to={`/app/operator/accounts/${id}`} inherit>
          {account ?? id}
        </ViewAnchor>
      ),
    },
    {
      key: 'request',
      header: t('system.refusedRequest'),
      cell: ({ request_id: id, error }) => (
        <div>
          <ViewAnchor to={`/app/operator/requests/${id}`} inherit>
            {id}
          </ViewAnchor>
          <Text fz="sm" c="dimmed">
            {error}
          </Text>
        </div>
      ),
    },
    { key: 'cost', header: t('system.refusedCost'), align: 'right', cell: ({ cost }) => <Cost cost={cost} /> },
  ];
  if (charges.length === 0) return null;
  return (
    <Part title={t('system.deadLetterCharges')} text={t('system.deadLetterText')}>
      <DataTable
        label={t('system.deadLetterCharges')}
        columns={columns}
        pages={asPages({ data: charges })}
        rowKey={({ at, request_id: id }) => `${at} ${id}`}
        empty={null}
      />
    </Part>
  );
}

/** An unparsable cost is shown unchanged. */
function Cost({ cost }: { readonly cost: string }) {
  return Number.isFinite(Number(cost)) ? <Money amount={cost} exact /> : cost;
}
