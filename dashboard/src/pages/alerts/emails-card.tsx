import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import type { Alerts } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { alertsPath, useAlertsForm } from './alerts-form.tsx';
import { DigestChoice } from './digest-choice.tsx';

/** The recipients of e-mails about the account, and how often it gets a summary. */
export function EmailsCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const { data, error, refetch } = useRead<Alerts>(alertsPath);
  return (
    <SectionCard
      title={t('alerts.emailsTitle')}
      text={data && t(data.is_mail_on ? 'alerts.emailsText' : 'alerts.emailsOff')}
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data?.is_mail_on && <EmailsForm alerts={data} mayChange={mayChange} />}
    </SectionCard>
  );
}

function EmailsForm({ alerts, mayChange }: { readonly alerts: Alerts; readonly mayChange: boolean }) {
  const { t } = useText();
  const { values, isBusy, notice, ...form } = useAlertsForm(alerts, {
    partOf: ({ recipients, digest }) => ({ recipients, digest }),
    labels: { recipients: t('alerts.recipients'), digest: t('alerts.digest') },
  });
  const { digest } = values;
  const recipients = values.recipients ?? [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        form.save(values);
      }}
    >
      <Stack gap="md">
        {notice}
        <MultiSelect
          label={t('alerts.recipients')}
          description={t('alerts.recipientsText')}
          placeholder={recipients.length === 0 ? t('alerts.recipientsAll') : ''}
          data={[...alerts.readers]}
          value={[...recipients]}
          disabled={!mayChange}
          onChange={(chosen) => form.change({ recipients: chosen.length === 0 ? null : chosen })}
          maw={560}
        />
        {alerts.readers.length === 0 && (
          <Text fz="sm" c="dimmed">
            {t('alerts.recipientsNone')}
          </Text>
        )}
        <DigestChoice
          value={digest}
          onChange={(chosen) => form.change({ digest: chosen })}
          text={t('alerts.digestText')}
          disabled={!mayChange}
        />
        {mayChange && (
          <Group>
            <Button type="submit" variant="default" loading={isBusy}>
              {t('common.save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
