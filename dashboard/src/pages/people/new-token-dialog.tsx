import { Button, Group, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { AccountPage, CreatedToken, NewToken } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { tokenRoles } from '../../components/roles.ts';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';

/** Creates a token and shows its secret once. */
export function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText();
  const make = useWrite<CreatedToken, NewToken>({ path: '/admin/v1/tokens', changes: ['/admin/v1/tokens'] });
  return (
    <SecretDialog
      title={t('people.addTokenTitle')}
      isBusy={make.isPending}
      secret={make.data && { label: t('people.tokenSecret', { name: make.data.name }), value: make.data.secret }}
      onClose={onClose}
    >
      <TokenForm isBusy={make.isPending} error={make.error} onSubmit={(token) => make.mutate(token)} />
    </SecretDialog>
  );
}

interface TokenFormProps {
  readonly isBusy: boolean;
  readonly error: Parameters<typeof ErrorNotice>[0]['error'];
  readonly onSubmit: (token: NewToken) => void;
}

function TokenForm({ isBusy, error, onSubmit }: TokenFormProps) {
  const { t } = useText();
  const form = useForm({ initialValues: { name: '', role: 'read-only' as NewToken['role'], account: '' } });
  const { role, account } = form.values;
  return (
    <form onSubmit={form.onSubmit(({ name }) => onSubmit({ name, role, ...(role === 'account' && { account }) }))}>
      <Stack gap="md">
        <ErrorNotice
          error={error}
          labels={{ name: t('people.tokenName'), role: t('people.tokenRole'), account: t('people.tokenAccount') }}
        />
        <TextInput
          label={t('people.tokenName')}
          required
          withAsterisk={false}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Radio.Group label={t('people.tokenRole')} {...form.getInputProps('role')}>
          <Stack gap="xs" mt={4}>
            {tokenRoles.map((each) => (
              <Radio key={each.role} value={each.role} label={t(each.name)} description={t(each.text)} />
            ))}
          </Stack>
        </Radio.Group>
        {role === 'account' && <AccountField value={account} onChange={(id) => form.setFieldValue('account', id)} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={role === 'account' && account === ''}>
            {t('people.tokenMake')}
          </Button>
        </Group>
      </Stack>
    </form>
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
