import { Text } from '@mantine/core';
import { Money } from '../../components/money.tsx';
import { useText } from '../../text/text.tsx';

/** What a million tokens cost; a zero says so in words. */
export function Price({ amount }: { readonly amount: string }) {
  const { t } = useText();
  if (Number(amount) > 0) return <Money amount={amount} exact />;
  return (
    <Text span c="dimmed">
      {t('models.free')}
    </Text>
  );
}
