import { Card, Text, Title } from '@mantine/core';
import type { OwnModel } from '../../api/wire.ts';
import { PerformanceTable } from '../../components/performance.tsx';
import { useText } from '../../text/text.tsx';

/** The recent speed and uptime of a model. */
export function ModelPerformance({ model }: { readonly model: OwnModel }) {
  const { t } = useText();
  return (
    <Card component="aside" aria-label={t('performance.title')}>
      <Title order={2} size="h3" mb="xs">
        {t('performance.title')}
      </Title>
      <PerformanceTable performance={model.performance} />
      <Text fz="sm" c="dimmed" mt="xs">
        {t('performance.help')}
      </Text>
    </Card>
  );
}
