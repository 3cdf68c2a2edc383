import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { refresh } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Redeemed, Redemption } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './billing.module.css';

/** Redeems a code and shows its value, or why it was refused. */
export function RedeemCard() {
  const { t } = useText();
  const format = useFormat();
  const { mayWrite } = useAccount();
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const redeem = useWrite<Redeemed, Redemption>({ path: '/account/v1/redemptions', changes: ['/account/v1'] });
  if (!mayWrite) return null;
  const submit = () =>
    redeem.mutate(
      { code: code.trim() },
      // If the code was redeemed in another tab, the balance shown here must include it.
      { onSuccess: () => setCode(''), onError: () => void refresh(client, '/account/v1') },
    );
  return (
    <SectionCard title={t('billing.redeemTitle')} text={t('billing.redeemText')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="sm">
          <div className={classes['redeem']}>
            <TextInput
              aria-label={t('billing.code')}
              placeholder="XXXX-XXXX-XXXX-XXXX-XXXX"
              value={code}
              maxLength={100}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              ff="monospace"
              onChange={({ currentTarget }) => setCode(currentTarget.value)}
            />
            <Button type="submit" loading={redeem.isPending} disabled={code.trim() === ''}>
              {t('billing.redeem')}
            </Button>
          </div>
          <ErrorNotice error={redeem.error} labels={{ code: t('billing.code') }} />
          {redeem.data && (
            <Alert color="accent" icon={<CheckIcon />} role="status">
              {t('billing.redeemed', {
                amount: format.money(redeem.data.amount, redeem.data.balance.currency),
                balance: format.money(redeem.data.balance.total, redeem.data.balance.currency),
              })}
            </Alert>
          )}
        </Stack>
      </form>
    </SectionCard>
  );
}
