import type { OwnOverview } from '../../api/wire.ts';
import { Money } from '../../components/money.tsx';
import { caseName } from '../../components/names.ts';
import { type Rank, RankList } from '../../components/rank-list.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './overview.module.css';

const requests = '/app/requests';

/** The models and keys with the highest spend, and the most frequent errors. */
export function TopLists({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const spent = (line: { readonly spend: string; readonly requests: number }) => ({
    weight: Number(line.spend),
    amount: <Money amount={line.spend} />,
    side: t('overview.requestCount', { count: line.requests }),
    to: requests,
  });
  const models = overview?.top_models.map(
    (line): Rank => ({
      ...spent(line),
      id: line.model,
      name: line.model || t('overview.unknownModel'),
      ...(line.model && { search: { model: line.model } }),
    }),
  );
  const keys = overview?.top_keys.map(
    (line): Rank => ({
      ...spent(line),
      id: line.id,
      name: line.name ?? line.id,
      search: { key: line.id },
    }),
  );
  const errors = overview?.errors_by_case.map(
    (line): Rank => ({
      id: line.error_case,
      name: caseName(line.error_case, t),
      weight: line.requests,
      amount: format.number(line.requests),
      side: line.status,
      to: requests,
      search: { error_case: line.error_case, range: 'custom', since: overview.since, until: overview.until },
    }),
  );
  return (
    <div className={classes['lists']}>
      <RankList title={t('overview.topModels')} ranks={bySpend(models)} />
      <RankList title={t('overview.topKeys')} ranks={bySpend(keys)} />
      {errors && errors.length > 0 && <RankList title={t('usage.failing')} ranks={errors} />}
    </div>
  );
}

function bySpend(ranks: readonly Rank[] | undefined): readonly Rank[] | undefined {
  return ranks?.toSorted((one, other) => other.weight - one.weight);
}
