import { Badge, Code } from '@mantine/core';
import type { Key } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { KeyIcon } from '../../icons.tsx';
import { type PlainKey, useText } from '../../text/text.tsx';

const states: Readonly<Record<Key['state'], readonly [PlainKey, color: string]>> = {
  active: ['accounts.stateActive', 'accent'],
  expired: ['accounts.stateExpired', 'gray'],
  revoked: ['accounts.stateRevoked', 'gray'],
};

/** The account's keys; their owner looks after them. */
export function KeysTab({ accountId }: { readonly accountId: string }) {
  const { t } = useText();
  const pages = usePages<Key>('/admin/v1/keys', { account: accountId });
  const columns: readonly Column<Key>[] = [
    { key: 'name', header: t('accounts.keyName'), cell: ({ name }) => name },
    { key: 'display', header: t('accounts.key'), cell: ({ display }) => <Code>{display}</Code> },
    {
      key: 'state',
      header: t('accounts.keyState'),
      cell: ({ state }) => <Badge color={states[state][1]}>{t(states[state][0])}</Badge>,
    },
    {
      key: 'created',
      header: t('accounts.created'),
      align: 'right',
      cell: ({ created_at: at }) => <When at={at} as="date" />,
      wideOnly: true,
    },
    { key: 'used', header: t('accounts.lastUsed'), align: 'right', cell: ({ last_used_at: at }) => <When at={at} /> },
    { key: 'spent', header: t('accounts.spent'), align: 'right', cell: ({ spent }) => <Money amount={spent} /> },
  ];
  return (
    <DataTable
      label={t('accounts.tabKeys')}
      columns={columns}
      pages={pages}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={<KeyIcon />} title={t('accounts.noKeys')} text={t('accounts.noKeysText')} />}
    />
  );
}
