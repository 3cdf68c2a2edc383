import { Badge } from '@mantine/core';
import type { Account } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';

/** Whether the keys of an account are accepted. */
export function AccountState({ status }: Pick<Account, 'status'>) {
  const { t } = useText();
  return status === 'active' ? (
    <Badge color="accent">{t('accounts.active')}</Badge>
  ) : (
    <Badge color="red">{t('accounts.suspended')}</Badge>
  );
}
