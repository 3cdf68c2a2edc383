import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { nanoFrom } from 'chat-gateway-figures/money.ts';
import { useAccount } from '../../api/account.tsx';
import { useRead } from '../../api/queries.ts';
import type { AutoTopUp, AutoTopUpSettings, CardSetup, Payments } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { WarningIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { texts } from './texts.ts';

export const autoTopUpPath = '/account/v1/auto-top-up';

/** Saves the settings of the automatic top-up. Saving also ends a pause. */
export function useAutoTopUpWrite(successMessage?: () => string) {
  return useWrite<AutoTopUp, AutoTopUpSettings>({
    method: 'PUT',
    path: autoTopUpPath,
    changes: [autoTopUpPath],
    ...(successMessage && { successMessage }),
  });
}

/** Opens the page of the payment provider where an owner saves a card. */
export function SaveCardButton({ label }: { readonly label: string }) {
  const setup = useWrite<CardSetup>({ path: '/account/v1/card/setup', isFailureNotified: true });
  const open = async () => {
    const { url } = await setup.mutateAsync();
    globalThis.location.assign(url);
  };
  return (
    // The notification shows an error.
    <Button variant="default" loading={setup.isPending} onClick={() => void open().catch(() => undefined)}>
      {label}
    </Button>
  );
}

/** Why the automatic top-up is paused, and what to do. More actions are children. Renders nothing if it is not. */
export function PauseNotice({ top, children }: { readonly top: AutoTopUp; readonly children?: ReactNode }) {
  const t = usePageText(texts);
  const format = useFormat();
  const isOwner = useAccount().role === 'owner';
  const resume = useAutoTopUpWrite(() => t('resumed'));
  const { pause, settings, card } = top;
  if (!pause || !settings || !card || pause.reason === 'canceled') return null;
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={t('pausedTitle')} role="status">
      <Text fz="sm">{t(`pause_${pause.reason}`, { time: format.dateTime(pause.at) })}</Text>
      {isOwner && (
        <Group gap="xs" mt="sm">
          {children}
          <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate(settings)}>
            {t('resume')}
          </Button>
        </Group>
      )}
      <ErrorNotice error={resume.error} />
    </Alert>
  );
}

/** The automatic top-up in sentences: its amounts, this month, and a charge in progress. */
export function TopUpState({ top }: { readonly top: AutoTopUp }) {
  const t = usePageText(texts);
  const format = useFormat();
  const payments = useRead<Payments>('/account/v1/payments').data;
  const { settings, card, currency } = top;
  if (!settings) return <Text fz="sm">{t('off')}</Text>;
  if (!card) return <Text fz="sm">{t('stopped')}</Text>;
  const money = (amount: string) => format.money(amount, currency);
  const inFlight = payments?.data.find(({ kind, state }) => kind === 'automatic' && state === 'open');
  return (
    <Text fz="sm" component="div">
      <div>{t('on', { amount: money(settings.amount), threshold: money(settings.threshold) })}</div>
      <div>{t('charged', { charged: money(top.charged_this_month), max: money(settings.monthly_max) })}</div>
      {isFull(top) && <div>{t('maxReached', { time: format.dateTime(top.month_ends_at) })}</div>}
      {inFlight && <div>{t('inFlight', { amount: money(inFlight.amount) })}</div>}
    </Text>
  );
}

/** Whether the monthly maximum has no room for another charge. */
function isFull({ settings, charged_this_month: charged }: AutoTopUp): boolean {
  if (!settings) return false;
  return nanoFrom(charged) + nanoFrom(settings.amount) > nanoFrom(settings.monthly_max);
}
