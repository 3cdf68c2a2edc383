import { Alert, Button, Group, Text } from '@mantine/core';
import { useAccountChoice } from '../api/account.tsx';
import { useText } from '../text/text.tsx';

/** Shown while an operator views the account of another user. */
export function ViewingBanner() {
  const { t } = useText();
  const { account, leave } = useAccountChoice();
  if (!account?.isForeign) return null;
  return (
    <Alert color="yellow" radius={0} py="xs" role="status">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">{t('frame.viewingAs', { name: account.name })}</Text>
        <Button size="compact-sm" variant="default" onClick={leave}>
          {t('frame.stopViewing')}
        </Button>
      </Group>
    </Alert>
  );
}
