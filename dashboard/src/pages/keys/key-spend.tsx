import { Progress, Text } from '@mantine/core';
import type { Key } from '../../api/wire.ts';
import { useSession } from '../../api/session.ts';
import { Money } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './keys.module.css';

/** What a key has spent, and how much of its cap that is. */
export function KeySpend({ apiKey: { spent, spend_cap: cap, name } }: { readonly apiKey: Key }) {
  const { t } = useText();
  const { currency } = useSession();
  const format = useFormat();
  if (cap === null) return <Money amount={spent} />;
  const share = Number(cap) > 0 ? Math.min(100, (Number(spent) / Number(cap)) * 100) : 100;
  return (
    <div className={classes['spend']}>
      <Money amount={spent} />{' '}
      <Text span c="dimmed" fz="sm">
        {t('keys.ofCap', { cap: format.money(cap, currency) })}
      </Text>
      <Progress
        mt={4}
        size={4}
        value={share}
        color={share >= 90 ? 'red.8' : share >= 70 ? 'yellow.7' : 'accent'}
        aria-label={t('keys.capUsed', { name })}
      />
    </div>
  );
}
