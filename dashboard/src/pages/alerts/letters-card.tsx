import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Alerts, AlertsChange } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { DigestChoice } from './digest-choice.tsx';

const path = '/account/v1/alerts';

/** Who gets letters about the account, and how often one that tells how it did. */
export function LettersCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const { data, error, refetch } = useRead<Alerts>(path);
  return (
    <SectionCard
      title={t('alerts.lettersTitle')}
      text={data && t(data.is_mail_on ? 'alerts.lettersText' : 'alerts.lettersOff')}
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data?.is_mail_on && <LettersForm key={data.version} alerts={data} mayChange={mayChange} />}
    </SectionCard>
  );
}

function LettersForm({ alerts, mayChange }: { readonly alerts: Alerts; readonly mayChange: boolean }) {
  const { t } = useText();
  const [recipients, setRecipients] = useState<readonly string[]>(alerts.recipients ?? []);
  const [digest, setDigest] = useState(alerts.digest);
  const write = useWrite<Alerts, AlertsChange>({
    method: 'PATCH',
    path,
    changes: [path],
    ifMatch: () => alerts.version,
    told: () => t('common.saved'),
  });
  const save = () => write.mutate({ recipients: recipients.length === 0 ? null : [...recipients], digest });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap="md">
        <ErrorNotice error={write.error} />
        <MultiSelect
          label={t('alerts.recipients')}
          description={t('alerts.recipientsText')}
          placeholder={recipients.length === 0 ? t('alerts.recipientsAll') : ''}
          data={[...alerts.readers]}
          value={[...recipients]}
          disabled={!mayChange}
          onChange={setRecipients}
          maw={560}
        />
        {alerts.readers.length === 0 && (
          <Text fz="sm" c="dimmed">
            {t('alerts.recipientsNone')}
          </Text>
        )}
        <DigestChoice value={digest} onChange={setDigest} text={t('alerts.digestText')} disabled={!mayChange} />
        {mayChange && (
          <Group>
            <Button type="submit" variant="default" loading={write.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
