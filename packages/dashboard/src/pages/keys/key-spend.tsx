import { Progress, Text } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import type { Key } from '../../api/wire.ts';
import { Money } from '../../components/money.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './keys.module.css';

/** The spend of a key. With a cap: the used share, and when the cap resets. */
export function KeySpend({ apiKey }: { readonly apiKey: Key }) {
  const { t } = useText();
  const { currency } = useSession();
  const format = useFormat();
  const { spent, spend_cap: cap, cap_period: period, cap_spent: used, cap_renews_at: renewsAt, name } = apiKey;
  if (cap === null) return <Money amount={spent} />;
  const share = Number(cap) > 0 ? Math.min(100, (Number(used) / Number(cap)) * 100) : 100;
  const amount = format.money(cap, currency);
  const resets = renewsAt === null ? undefined : t('keys.capResets', { time: format.dateTime(renewsAt) });
  return (
    <span className={classes['spend']} title={resets}>
      <Progress
        w={48}
        size={4}
        value={share}
        color={share >= 90 ? 'red.8' : share >= 70 ? 'yellow.7' : 'accent'}
        aria-label={t('keys.capUsed', { name })}
      />
      <Money amount={used ?? '0'} />
      <Text span c="dimmed" fz="sm" visibleFrom="sm">
        {period === null ? t('keys.ofCap', { cap: amount }) : t(`keys.ofCap_${period}`, { cap: amount })}
      </Text>
    </span>
  );
}
