import { Badge, Button, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { usePages, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { AccountPage, CreatedToken, NewToken, Token } from '../../api/wire.ts';
import { NamedCell } from '../../components/cells.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RadioList } from '../../components/radio-list.tsx';
import { tokenRoleName, tokenRoles } from '../../components/roles.ts';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { AddButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { KeyIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { PeopleFrame } from './people-frame.tsx';

const path = '/admin/v1/tokens';

/** The API tokens of the admin API: create, list and revoke. */
export default function TokensPage() {
  const { t } = useText();
  const pages = usePages<Token>(path);
  const terminal = usePageText(tableTexts)('terminal');
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Token>();
  const revoke = useWrite<unknown, Token>({
    path: ({ id }) => `${path}/${encodeURIComponent(id)}/revoke`,
    send: () => undefined,
    changes: [path],
  });
  const columns: readonly Column<Token>[] = [
    { key: 'name', header: t('people.token'), cell: ({ name, display }) => <NamedCell name={name} more={display} /> },
    { key: 'role', header: t('people.tokenRole'), cell: ({ role }) => t(tokenRoleName(role)) },
    {
      key: 'made',
      header: t('people.created'),
      wideOnly: true,
      cell: (token) => <When at={token.created_at} as="date" />,
    },
    { key: 'by', header: t('people.createdBy'), wideOnly: true, cell: (token) => token.created_by },
    {
      key: 'used',
      header: t('people.lastUsed'),
      cell: (token) => <When at={token.last_used_at} otherwise={t('people.neverUsed')} />,
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
  const makeButton = <AddButton onClick={() => setMaking(true)}>{t('people.addToken')}</AddButton>;
  return (
    <PeopleFrame
      path="/app/operator/people/tokens"
      text="people.tokensText"
      actions={pages.rows?.length !== 0 && makeButton}
    >
      <DataTable
        label={t('people.tabTokens')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<KeyIcon />}
            title={t('people.tokensEmpty')}
            text={t('people.tokensEmptyText')}
            action={makeButton}
            code={
              <CodeBlock
                snippets={[
                  { name: terminal, code: 'chat-gateway admin-tokens create --name provisioning --role operator' },
                ]}
              />
            }
          />
        }
      />
      {isMaking && <NewTokenDialog onClose={() => setMaking(false)} />}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title={t('people.revokeTitle', { name: revoked?.name ?? '' })}
        text={t('people.revokeText')}
        action={t('people.revoke')}
        write={revoke}
        body={revoked}
        onClose={() => setRevoked(undefined)}
      />
    </PeopleFrame>
  );
}

/** Creates a token and shows its secret once. */
function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText();
  const make = useWrite<CreatedToken, NewToken>({ path, changes: [path] });
  const form = useForm({
    initialValues: { name: '', role: 'read-only' as NewToken['role'], account: '' },
    validate: { name: (name) => (name.trim() === '' ? t('common.required') : null) },
  });
  const { role, account } = form.values;
  return (
    <SecretDialog
      title={t('people.addTokenTitle')}
      write={make}
      secret={({ name, secret }) => ({ label: t('people.tokenSecret', { name }), value: secret })}
      action={t('people.tokenMake')}
      canSubmit={role !== 'account' || account !== ''}
      labels={{ name: t('people.tokenName'), role: t('people.tokenRole'), account: t('people.tokenAccount') }}
      onSubmit={form.onSubmit(({ name }) => make.mutate({ name, role, ...(role === 'account' && { account }) }))}
      onClose={onClose}
    >
      <TextInput
        label={t('people.tokenName')}
        required
        withAsterisk={false}
        maxLength={64}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <RadioList
        label={t('people.tokenRole')}
        value={role}
        options={tokenRoles.map((each) => ({ value: each.role, label: t(each.name), description: t(each.text) }))}
        onChange={(chosen) => form.setFieldValue('role', chosen)}
      />
      {role === 'account' && <AccountField value={account} onChange={(id) => form.setFieldValue('account', id)} />}
    </SecretDialog>
  );
}

/** Finds an account by part of its name. */
function AccountField({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const { t } = useText();
  const [written, setWritten] = useState('');
  const [q] = useDebouncedValue(written.trim(), 300);
  const accounts = useRead<AccountPage>('/admin/v1/accounts', { q, limit: 50 });
  const options = (accounts.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label={t('people.tokenAccount')}
      data={options}
      filter={({ options: all }) => all}
      searchable
      searchValue={written}
      onSearchChange={setWritten}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}
