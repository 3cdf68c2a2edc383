import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { OwnOverview } from '../../api/wire.ts';
import { Money } from '../../components/money.tsx';
import { useText } from '../../text/text.tsx';
import classes from './overview.module.css';

interface Rank {
  readonly id: string;
  readonly name: string;
  readonly spend: string;
  readonly requests: number;
  /** Which requests the line counts. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Where the money went: the models and keys that cost most. */
export function TopLists({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const models = overview?.top_models.map(
    (line): Rank => ({
      ...line,
      id: line.model,
      name: line.model || t('overview.unknownModel'),
      filter: line.model ? { model: line.model } : {},
    }),
  );
  const keys = overview?.top_keys.map((line) => ({ ...line, name: line.name ?? line.id, filter: { key: line.id } }));
  return (
    <div className={classes['lists']}>
      <TopList title={t('overview.topModels')} ranks={models} />
      <TopList title={t('overview.topKeys')} ranks={keys} />
    </div>
  );
}

function TopList({ title, ranks }: { readonly title: string; readonly ranks: readonly Rank[] | undefined }) {
  const { t } = useText();
  const sorted = ranks?.toSorted((one, other) => Number(other.spend) - Number(one.spend)).slice(0, shownMax);
  const most = Number(sorted?.[0]?.spend ?? 0);
  return (
    <Card component="section" aria-label={title} className={classes['chart']}>
      <Title order={2} size="h3" mb="sm">
        {title}
      </Title>
      {!sorted && (
        <Stack gap="xs">
          <Skeleton height={36} />
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      )}
      {sorted?.length === 0 && <Text c="dimmed">{t('common.noData')}</Text>}
      <ul className={classes['ranks']}>
        {sorted?.map((rank) => (
          <li key={rank.id} className={classes['rank']}>
            <span
              className={classes['bar']}
              style={{ width: `${most > 0 ? (Number(rank.spend) / most) * 100 : 0}%` }}
            />
            <Link to="/app/requests" search={rank.filter} className={classes['rankName']} title={rank.name}>
              {rank.name}
            </Link>
            <span className={classes['rankSide']}>{t('overview.requestCount', { count: rank.requests })}</span>
            <span className={classes['rankAmount']}>
              <Money amount={rank.spend} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const shownMax = 6;
