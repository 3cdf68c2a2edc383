import type { Query } from '../../api/call.ts';
import { useRead } from '../../api/queries.ts';
import type { AccountPage } from '../../api/wire.ts';
import { accountName } from '../../components/names.ts';
import { Money } from '../../components/money.tsx';
import { type Rank, RankList } from '../../components/rank-list.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { lineName } from '../usage/line-name.ts';
import { lineFilter, spanFilter, type Usage, type UsageLine } from '../usage/request-filter.ts';
import { allUsage, type Grouping } from '../usage/scope.ts';
import classes from './operator-overview.module.css';

export interface RankingsProps {
  readonly accounts: Usage | undefined;
  readonly span: Query;
  readonly everyMs: number;
}

/** Rankings of accounts, models, upstreams and errors, each with a link to the full list. */
export function Rankings({ accounts, span, everyMs }: RankingsProps) {
  const { t } = useText();
  const refetch = { refetchInterval: everyMs };
  const models = useRead<Usage>(allUsage.api, { by: 'model', ...span }, refetch).data;
  const upstreams = useRead<Usage>(allUsage.api, { by: 'upstream', order: 'requests', ...span }, refetch).data;
  const errors = useRead<Usage>(allUsage.api, { by: 'error', order: 'errors', ...span }, refetch).data;
  const spend = useRanks('spend');
  const counts = useRanks('requests');
  const failures = errors && { ...errors, lines: errors.lines.filter((line) => line.errors > 0) };
  return (
    <div className={classes['lists']}>
      <RankList title={t('usage.topAccounts')} ranks={spend('account', accounts)} action={<SeeAll by="account" />} />
      <RankList title={t('usage.topModels')} ranks={spend('model', models)} action={<SeeAll by="model" />} />
      <LowestBalances everyMs={everyMs} />
      <RankList title={t('usage.failing')} ranks={counts('error', failures)} action={<SeeAll by="error" />} />
      <RankList
        title={t('usage.topUpstreams')}
        ranks={counts('upstream', upstreams)}
        action={<SeeAll by="upstream" />}
      />
    </div>
  );
}

function SeeAll({ by }: { readonly by: Grouping }) {
  const { t } = useText();
  return (
    <ViewAnchor to="/app/operator/usage" search={{ by }} fz="sm">
      {t('usage.seeAll')}
    </ViewAnchor>
  );
}

/** Turns usage rows into ranks, by spend or by request count. */
function useRanks(by: 'spend' | 'requests') {
  const { t } = useText();
  const format = useFormat();
  return (grouping: Grouping, usage: Usage | undefined): readonly Rank[] | undefined =>
    usage?.lines.map((line: UsageLine): Rank => {
      const filter = lineFilter(grouping, line);
      const failed = line.errors > 0 && t('usage.failedShare', { share: format.percent(line.errors / line.requests) });
      return {
        id: `${line.kind} ${line.value ?? ''}`,
        name: lineName(grouping, line, t),
        weight: Number(line[by]),
        amount: by === 'spend' ? <Money amount={line.spend} /> : format.number(line.requests),
        side: grouping === 'error' ? undefined : by === 'spend' ? format.compact(line.requests) : failed,
        ...(filter && { to: allUsage.requests, search: { ...spanFilter(usage, undefined), ...filter } }),
      };
    });
}

function LowestBalances({ everyMs }: { readonly everyMs: number }) {
  const { t } = useText();
  const query = { sort: 'lowest_balance', status: 'active', limit: 6 };
  const { data } = useRead<AccountPage>('/admin/v1/accounts', query, { refetchInterval: everyMs });
  const ranks = data?.data.map(
    (account): Rank => ({
      id: account.id,
      name: accountName(account),
      weight: 0,
      amount: <Money amount={account.balance} />,
      to: `/app/operator/accounts/${encodeURIComponent(account.id)}`,
    }),
  );
  return <RankList title={t('usage.lowest')} ranks={ranks} />;
}
