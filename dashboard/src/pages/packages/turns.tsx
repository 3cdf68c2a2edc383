import { Text } from '@mantine/core';
import { useText } from '../../text/text.tsx';
import { type PackageEntry, weightRatio, weightOf } from './share.ts';
import classes from './turns.module.css';

/** Compares a weight with each other package while the operator chooses it. */
export function WeightComparison({
  weight,
  others,
}: {
  readonly weight: number;
  readonly others: readonly PackageEntry[];
}) {
  const { t } = useText();
  if (others.length === 0) return null;
  return (
    <dl className={classes['list']}>
      {others.slice(0, shownMax).map((other) => {
        const [own, their] = weightRatio(weight, weightOf(other));
        return (
          <div key={other.name} className={classes['line']}>
            <Text component="dt" fz="sm" c="dimmed">
              {t('packages.compared', { other: other.name })}
            </Text>
            <Text component="dd" fz="sm" m={0}>
              {own === their ? t('packages.equalSlots') : t('packages.slotRatio', { own, their })}
            </Text>
          </div>
        );
      })}
    </dl>
  );
}

const shownMax = 6;
