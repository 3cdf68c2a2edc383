import type { StoredResponses } from '../../api/wire.ts';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { Part } from './part.tsx';

type Sum = StoredResponses['accounts'][number];

/** The number and size of stored responses. Their contents are not shown. */
export function StoredResponsesPart({ stored }: { readonly stored: StoredResponses | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const columns: readonly Column<Sum>[] = [
    { key: 'account', header: t('system.storedAccount'), cell: ({ account }) => account },
    {
      key: 'responses',
      header: t('system.storedCount'),
      align: 'right',
      cell: ({ responses }) => format.number(responses),
    },
    { key: 'bytes', header: t('system.storedBytes'), align: 'right', cell: ({ bytes }) => format.number(bytes) },
  ];
  const total = t('system.storedResponsesText', {
    count: format.number(stored?.responses ?? 0),
    bytes: format.number(stored?.bytes ?? 0),
  });
  return (
    <Part title={t('system.storedResponses')} text={total}>
      {stored && stored.accounts.length > 0 && (
        <DataTable
          label={t('system.storedResponses')}
          columns={columns}
          pages={asPages({ data: stored.accounts })}
          rowKey={({ account_id: id }) => id}
          empty={null}
        />
      )}
    </Part>
  );
}
