import { Text } from '@mantine/core';
import { Money } from '../../components/money.tsx';
import { useText } from '../../text/text.tsx';

/** The price of a million tokens. Zero is shown as "free". */
export function Price({ amount }: { readonly amount: string }) {
  const { t } = useText();
  if (Number(amount) > 0) return <Money amount={amount} exact />;
  return (
    <Text span c="dimmed">
      {t('models.free')}
    </Text>
  );
}
