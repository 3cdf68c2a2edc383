import { Card, Group, Skeleton, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../text/text.tsx';
import classes from './rank-list.module.css';

export interface Rank {
  readonly id: string;
  readonly name: string;
  /** The length of its bar, relative to the longest. */
  readonly weight: number;
  readonly amount: ReactNode;
  readonly side?: ReactNode;
  /** The link target. Without it the name is plain text. */
  readonly to?: string | undefined;
  readonly search?: Readonly<Record<string, string>> | undefined;
}

export interface RankListProps {
  readonly title: string;
  /** In ranking order. Undefined while loading. */
  readonly ranks: readonly Rank[] | undefined;
  /** Shown next to the title. */
  readonly action?: ReactNode;
}

const shownMax = 6;

/** The first few ranks, with bars in proportion. */
export function RankList({ title, ranks, action }: RankListProps) {
  const { t } = useText();
  const shown = ranks?.slice(0, shownMax);
  const most = Math.max(0, ...(shown ?? []).map(({ weight }) => weight));
  return (
    <Card component="section" aria-label={title} miw={0}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h3">
          {title}
        </Title>
        {action}
      </Group>
      {!shown && <Skeleton height={shownMax * 34} />}
      {shown?.length === 0 && <Text c="dimmed">{t('common.noData')}</Text>}
      <ul className={classes['list']}>
        {shown?.map((rank) => (
          <li key={rank.id} className={classes['rank']}>
            <RankName {...rank} />
            <span className={classes['side']}>{rank.side}</span>
            <span className={classes['amount']}>{rank.amount}</span>
            <span className={classes['track']}>
              {most > 0 && (
                <span className={classes['bar']} style={{ width: `${Math.max(0, rank.weight / most) * 100}%` }} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RankName({ name, to, search = {} }: Rank) {
  if (to === undefined) {
    return (
      <span className={classes['name']} title={name}>
        {name}
      </span>
    );
  }
  return (
    <Link to={to} search={search} className={classes['name']} title={name}>
      {name}
    </Link>
  );
}
