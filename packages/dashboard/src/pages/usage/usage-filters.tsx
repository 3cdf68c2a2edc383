import { Group, SegmentedControl, Select } from '@mantine/core';
import { useAllRows } from '../../api/queries.ts';
import type { Account } from '../../api/wire.ts';
import { DayField } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import type { FieldLabels } from '../../text/error-text.ts';
import { useText } from '../../text/text.tsx';
import { groupingWords } from './usage-line.ts';
import { isOffered, type UsageScope } from './scope.ts';
import { intervals, isDrawable, measures, rangeNames, type UsageChoice, usageFilters } from './usage-query.ts';

const intervalWords = {
  hour: 'usage.intervalHour',
  day: 'usage.intervalDay',
  month: 'usage.intervalMonth',
} as const;
const measureWords = { spend: 'usage.spend', requests: 'usage.requests', errors: 'usage.errors' } as const;

/** The labels of the fields that an error may name. */
export function useUsageLabels(): FieldLabels {
  const { t } = useText();
  const coarser = intervals.map((value) => [`interval=${value}`, t(intervalWords[value])]);
  return { since: t('usage.since'), until: t('usage.until'), ...Object.fromEntries(coarser) };
}

/** Grouping, time range and interval, stored in the URL. */
export function UsageFilters({ scope, choice }: { readonly scope: UsageScope; readonly choice: UsageChoice }) {
  const { t } = useText();
  const [, change] = useFilters(usageFilters);
  const accounts = useAllRows<Account>('/admin/v1/accounts', scope.isOperator);
  const offered = scope.groupings.filter((one) => isOffered(one, choice.account));
  return (
    <Group gap="xs" role="search" aria-label={t('common.filters')}>
      <Select
        aria-label={t('usage.by')}
        data={offered.map((value) => ({ value, label: t(groupingWords[value]) }))}
        value={choice.unknownBy === undefined ? choice.by : null}
        allowDeselect={false}
        onChange={(by) => change({ by: by ?? undefined })}
        w={140}
      />
      {scope.isOperator && (
        <Select
          aria-label={t('usage.byAccount')}
          placeholder={t('usage.account')}
          data={accounts.data?.map(({ name }) => name) ?? []}
          value={choice.account ?? null}
          onChange={(account) => change({ account: account ?? undefined })}
          clearable
          searchable
          w={170}
        />
      )}
      <Select
        aria-label={t('usage.range')}
        data={rangeNames.map((value) => ({
          value,
          label: t(value === 'custom' ? 'usage.rangeCustom' : `usage.range${value}`),
        }))}
        value={choice.range}
        allowDeselect={false}
        onChange={(range) => change({ range: range ?? undefined, interval: undefined })}
        w={170}
      />
      {choice.range === 'custom' && <Days choice={choice} />}
      <Select
        aria-label={t('usage.interval')}
        data={intervals.map((value) => ({
          value,
          label: t(intervalWords[value]),
          disabled: !isDrawable(choice.range, value),
        }))}
        value={choice.interval}
        allowDeselect={false}
        onChange={(interval) => change({ interval: interval ?? undefined })}
        w={140}
      />
      <SegmentedControl
        aria-label={t('usage.measure')}
        size="sm"
        data={measures.map((value) => ({ value, label: t(measureWords[value]) }))}
        value={choice.drawn}
        onChange={(drawn) => change({ drawn })}
      />
    </Group>
  );
}

/** Days in the user's time zone, including the last one. */
function Days({ choice: { since = '', until = '' } }: { readonly choice: UsageChoice }) {
  const { t } = useText();
  const [, change] = useFilters(usageFilters);
  return (
    <>
      <DayField label={t('usage.since')} value={since} onChange={(day) => change({ since: day })} />
      <DayField label={t('usage.until')} value={until} onChange={(day) => change({ until: day })} />
    </>
  );
}
