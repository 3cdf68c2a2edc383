import type { KeptResponses } from '../../api/wire.ts';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { Part } from './part.tsx';

type Sum = KeptResponses['accounts'][number];

/** The number and size of stored responses. Their contents are not shown. */
export function KeptResponsesPart({ kept }: { readonly kept: KeptResponses | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const columns: readonly Column<Sum>[] = [
    { key: 'account', header: t('system.keptAccount'), cell: ({ account }) => account },
    {
      key: 'responses',
      header: t('system.keptCount'),
      align: 'right',
      cell: ({ responses }) => format.number(responses),
    },
    { key: 'bytes', header: t('system.keptBytes'), align: 'right', cell: ({ bytes }) => format.number(bytes) },
  ];
  const total = t('system.storedResponsesText', {
    count: format.number(kept?.responses ?? 0),
    bytes: format.number(kept?.bytes ?? 0),
  });
  return (
    <Part title={t('system.storedResponses')} text={total}>
      {kept && kept.accounts.length > 0 && (
        <DataTable
          label={t('system.storedResponses')}
          columns={columns}
          pages={asPages({ data: kept.accounts })}
          rowKey={({ account_id: id }) => id}
          empty={null}
        />
      )}
    </Part>
  );
}
