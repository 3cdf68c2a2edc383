import { Badge } from '@mantine/core';
import type { Account } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';

/** Whether an account's keys are taken. */
export function AccountState({ status }: Pick<Account, 'status'>) {
  const { t } = useText();
  return status === 'active' ? (
    <Badge color="accent">{t('accounts.active')}</Badge>
  ) : (
    <Badge color="red">{t('accounts.suspended')}</Badge>
  );
}
