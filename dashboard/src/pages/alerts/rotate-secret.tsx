import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { CreatedWebhook, Webhook } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';
import type { WebhookScope } from './side.ts';

const overlaps = ['now', '1h', '24h', '168h'] as const;

type Overlap = (typeof overlaps)[number];

interface RotateProps {
  readonly side: WebhookScope;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Rotates the secret of a webhook. The old secret also signs for a while. */
export function RotateSecret({ side, webhook, onClose }: RotateProps) {
  const { t } = useText();
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const path = `${side.path}/webhooks`;
  const write = useWrite<CreatedWebhook, { readonly overlap: Overlap }>({
    path: `${path}/${encodeURIComponent(webhook.id)}/rotate`,
    ifMatch: () => webhook.version,
    changes: [path],
  });
  const { data: made } = write;
  return (
    <SecretDialog
      title={t('alerts.rotateTitle', { name: webhook.name })}
      isBusy={write.isPending}
      secret={made && { label: t('alerts.secret', { name: made.name }), value: made.secret }}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text>{t('alerts.rotateText')}</Text>
        <Radio.Group
          label={t('alerts.overlap')}
          value={overlap}
          onChange={(value) => setOverlap(overlaps.find((each) => each === value) ?? '24h')}
        >
          <Stack gap="xs" mt="xs">
            {overlaps.map((value) => (
              <Radio key={value} value={value} label={t(`alerts.overlap_${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <ErrorNotice error={write.error} />
        <Group justify="flex-end">
          <Button loading={write.isPending} onClick={() => write.mutate({ overlap })}>
            {t('alerts.rotate')}
          </Button>
        </Group>
      </Stack>
    </SecretDialog>
  );
}
