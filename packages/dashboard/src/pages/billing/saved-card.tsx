import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { useRead } from '../../api/queries.ts';
import type { AutoTopUp } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { CheckIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { autoTopUpPath, PauseNotice, SaveCardButton, TopUpState } from './auto-top-up.tsx';
import { texts } from './texts.ts';

/** How often the page looks for a card that was just saved. */
const waitingMs = 3000;

/** The saved card and the state of the automatic top-up. Renders nothing if payments are not offered. */
export function SavedCard() {
  const t = usePageText(texts);
  const isOwner = useAccount().role === 'owner';
  const [{ card: returned }] = useFilters(['card']);
  const isReturning = returned === 'saved';
  const { data, error, refetch } = useRead<AutoTopUp>(
    autoTopUpPath,
    {},
    { refetchInterval: isReturning ? waitingMs : false },
  );
  const [isRemoving, setRemoving] = useState(false);
  const remove = useWrite<AutoTopUp>({
    method: 'DELETE',
    path: '/account/v1/card',
    changes: [autoTopUpPath],
    successMessage: () => t('removed'),
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data || (!data.is_offered && !data.card)) return null;
  const { card } = data;
  return (
    <SectionCard title={t('cardTitle')} text={t('cardText')}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          {card ? <CardFigures card={card} /> : <Text>{t('noCard')}</Text>}
          {isOwner && (
            <Group gap="xs">
              {data.is_offered && <SaveCardButton label={t(card ? 'replace' : 'save')} />}
              {card && (
                <Button variant="default" onClick={() => setRemoving(true)}>
                  {t('remove')}
                </Button>
              )}
            </Group>
          )}
        </Group>
        {isReturning && (
          <Alert color="accent" icon={<CheckIcon />} role="status">
            {t(card ? 'saved' : 'saving')}
          </Alert>
        )}
        <PauseNotice top={data} />
        <Group justify="space-between" gap="sm" align="flex-start">
          <TopUpState top={data} />
          {isOwner && (
            <ViewAnchor to="/app/alerts" fz="sm">
              {t(data.settings ? 'change' : 'setUp')}
            </ViewAnchor>
          )}
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isRemoving}
        title={t('removeTitle')}
        text={t('removeText')}
        action={t('remove')}
        write={remove}
        onClose={() => setRemoving(false)}
      />
    </SectionCard>
  );
}

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** The brand, the last four digits and the expiry. */
function CardFigures({ card }: { readonly card: NonNullable<AutoTopUp['card']> }) {
  const t = usePageText(texts);
  const { brand, last4, exp_month: month, exp_year: year } = card;
  const isExpired = Date.now() >= Date.UTC(year, month, 1);
  return (
    <div>
      <Text fw={520}>{t('card', { brand: brands[brand] ?? brand, last4 })}</Text>
      <Text fz="sm" c={isExpired ? 'red' : 'dimmed'}>
        {t(isExpired ? 'expired' : 'expires', { month: String(month).padStart(2, '0'), year: String(year) })}
      </Text>
    </div>
  );
}
