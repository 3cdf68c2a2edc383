import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { type Page, refresh, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Checkout, Key, NewPayment, Payment, Payments, Redeemed, Redemption } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { Form } from '../../components/form.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './billing.module.css';

/** How often a new payment is polled until it has arrived. */
const waitingMs = 3000;

/** Takes an amount and opens the payment page. Renders nothing if payments are not offered or the user may not pay. */
export function PayCard() {
  const { t } = useText();
  const format = useFormat();
  const { mayWrite } = useAccount();
  const [{ paid }] = useFilters(['paid']);
  const [amount, setAmount] = useState('');
  const terms = useRead<Payments>(
    '/account/v1/payments',
    {},
    {
      refetchInterval: ({ state }) =>
        paid !== undefined && state.data?.data.some(({ id, state: now }) => id === paid && now === 'open')
          ? waitingMs
          : false,
    },
  ).data;
  const made = terms?.data.find(({ id }) => id === paid);
  const client = useQueryClient();
  const hasArrived = made?.state === 'paid';
  // The balance, the ledger and the statements were read before the money arrived.
  useEffect(() => {
    if (hasArrived) void refresh(client, '/account/v1');
  }, [client, hasArrived]);
  const begin = useWrite<Payment, NewPayment>({ path: '/account/v1/payments', changes: ['/account/v1/payments'] });
  const checkout = useWrite<Checkout, string>({
    path: (id) => `/account/v1/payments/${encodeURIComponent(id)}/checkout`,
    send: () => undefined,
  });
  if (!mayWrite || !terms?.is_offered) return null;
  const money = (text: string) => format.money(text, terms.currency);
  const pay = async (chosen: string) => {
    const { id } = await begin.mutateAsync({ amount: chosen });
    const { url } = await checkout.mutateAsync(id);
    globalThis.location.assign(url);
  };
  const isBusy = begin.isPending || checkout.isPending;
  return (
    <SectionCard
      title={t('billing.payTitle')}
      text={t('billing.payText', { least: money(terms.amount_min), most: money(terms.amount_max) })}
    >
      <Form
        onSubmit={() => {
          // The notices below show errors.
          pay(amount.trim()).catch(() => undefined);
        }}
      >
        <Stack gap="sm">
          <Group gap="xs">
            {usualAmounts(terms).map((usual) => (
              <Button
                key={usual}
                variant="default"
                disabled={isBusy}
                aria-label={t('billing.payUsual', { amount: money(usual) })}
                onClick={() => void pay(usual).catch(() => undefined)}
              >
                {money(usual)}
              </Button>
            ))}
          </Group>
          <div className={classes['redeem']}>
            <TextInput
              aria-label={t('billing.payAmount', { currency: terms.currency })}
              placeholder={t('billing.payAmount', { currency: terms.currency })}
              inputMode="decimal"
              value={amount}
              onChange={({ currentTarget }) => setAmount(currentTarget.value)}
            />
            <Button type="submit" loading={isBusy} disabled={amount.trim() === ''}>
              {t('billing.pay')}
            </Button>
          </div>
          <ErrorNotice
            error={begin.error ?? checkout.error}
            labels={{ amount: t('billing.payAmount', { currency: terms.currency }) }}
          />
          {made && (
            <Alert color="accent" icon={<CheckIcon />} role="status">
              {t(hasArrived ? 'billing.payArrived' : 'billing.payOnItsWay', { amount: money(made.amount) })}
            </Alert>
          )}
        </Stack>
      </Form>
    </SectionCard>
  );
}

const amounts = ['10.00', '25.00', '50.00', '100.00'];

/** The amounts that a click pays, within the limits of the gateway. */
function usualAmounts({ amount_min: least, amount_max: most }: Payments): readonly string[] {
  return amounts.filter((each) => Number(each) >= Number(least) && Number(each) <= Number(most));
}

/** Redeems a code and shows its value, or why it was refused. */
export function RedeemCard() {
  const { t } = useText();
  const format = useFormat();
  const { mayWrite } = useAccount();
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const redeem = useWrite<Redeemed, Redemption>({ path: '/account/v1/redemptions', changes: ['/account/v1'] });
  const keys = useRead<Page<Key>>('/account/v1/keys', { limit: 1 }, { enabled: redeem.data !== undefined }).data;
  if (!mayWrite) return null;
  const submit = () =>
    redeem.mutate(
      { code: code.trim() },
      // If the code was redeemed in another tab, the balance shown here must include it.
      { onSuccess: () => setCode(''), onError: () => void refresh(client, '/account/v1') },
    );
  return (
    <SectionCard title={t('billing.redeemTitle')} text={t('billing.redeemText')}>
      <Form onSubmit={() => submit()}>
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
              })}{' '}
              {keys?.data.length === 0 && (
                <ViewAnchor to="/app/keys" search={{ new: 'first' }} inherit underline="always">
                  {t('overview.createKey')}
                </ViewAnchor>
              )}
            </Alert>
          )}
        </Stack>
      </Form>
    </SectionCard>
  );
}
