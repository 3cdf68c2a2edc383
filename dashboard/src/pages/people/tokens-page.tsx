import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Token } from '../../api/wire.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tokenRoleName } from '../../components/roles.ts';
import { When } from '../../components/when.tsx';
import { KeyIcon, PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { PeopleFrame } from './people-frame.tsx';

const path = '/admin/v1/tokens';

/** The API tokens of the admin API: create, list and revoke. */
export default function TokensPage() {
  const { t } = useText();
  const pages = usePages<Token>(path);
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Token>();
  const revoke = useWrite<unknown, Token>({
    path: ({ id }) => `${path}/${encodeURIComponent(id)}/revoke`,
    send: () => undefined,
    changes: [path],
  });
  const columns: readonly Column<Token>[] = [
    { key: 'name', header: t('people.token'), cell: (token) => <TokenCell token={token} /> },
    { key: 'role', header: t('people.tokenRole'), cell: ({ role }) => t(tokenRoleName(role)) },
    {
      key: 'made',
      header: t('people.created'),
      wideOnly: true,
      cell: (token) => <When at={token.created_at} as="date" />,
    },
    {
      key: 'used',
      header: t('people.lastUsed'),
      cell: (token) => (token.last_used_at ? <When at={token.last_used_at} /> : t('people.neverUsed')),
    },
    {
      key: 'state',
      header: t('people.state'),
      cell: ({ revoked_at: at }) => (
        <Badge color={at ? 'gray' : 'accent'}>{t(at ? 'people.revoked' : 'people.active')}</Badge>
      ),
    },
    {
      key: 'revoke',
      header: t('common.actions'),
      align: 'right',
      cell: (token) =>
        !token.revoked_at && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setRevoked(token)}>
            {t('people.revoke')}
          </Button>
        ),
    },
  ];
  const makeButton = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setMaking(true)}>
      {t('people.addToken')}
    </Button>
  );
  return (
    <PeopleFrame path="/app/operator/people/tokens" text="people.tokensText" actions={makeButton}>
      <DataTable
        label={t('people.tabTokens')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={<KeyIcon />} title={t('people.tokensEmpty')} text={t('people.tokensEmptyText')} />}
      />
      {isMaking && <NewTokenDialog onClose={() => setMaking(false)} />}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title={t('people.revokeTitle', { name: revoked?.name ?? '' })}
        text={t('people.revokeText')}
        action={t('people.revoke')}
        isBusy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoked && revoke.mutate(revoked, { onSuccess: () => setRevoked(undefined) })}
        onClose={() => setRevoked(undefined)}
      />
    </PeopleFrame>
  );
}

function TokenCell({ token }: { readonly token: Token }) {
  return (
    <div>
      <Text fw={520}>{token.name}</Text>
      <Text fz="sm" c="dimmed" ff="monospace">
        {token.display}
      </Text>
    </div>
  );
}
