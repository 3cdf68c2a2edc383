import { Group } from '@mantine/core';
import { DateField, FilterBar, useFilters } from '../../components/filter-bar.tsx';
import { kindName, lineKinds } from '../../components/ledger-words.ts';
import { useText } from '../../text/text.tsx';
import { filterNames } from './ledger-query.ts';

/** A kind, and the first and last day. */
export function LedgerFilters() {
  const { t } = useText();
  const [{ from = '', to = '' }, change] = useFilters(filterNames);
  const kinds = lineKinds.map((value) => ({ value, label: kindName(value, t) }));
  return (
    <FilterBar
      fields={[{ name: 'kind', label: t('billing.kind'), options: kinds, width: 200 }]}
      otherNames={['from', 'to']}
    >
      <Group gap="xs" wrap="nowrap">
        <DateField
          aria-label={t('billing.from')}
          title={t('billing.from')}
          value={from}
          max={to || undefined}
          onChange={(day) => change({ from: day || undefined })}
        />
        <span aria-hidden="true">–</span>
        <DateField
          aria-label={t('billing.to')}
          title={t('billing.to')}
          value={to}
          min={from || undefined}
          onChange={(day) => change({ to: day || undefined })}
        />
      </Group>
    </FilterBar>
  );
}
