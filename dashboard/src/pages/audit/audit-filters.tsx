import { Group } from '@mantine/core';
import { DateField, FilterBar, useFilters } from '../../components/filter-bar.tsx';
import { useText } from '../../text/text.tsx';
import { actionNames, actionWords, kindNames, kindWords } from './words.ts';

export const auditFilterNames = ['account', 'actor', 'action', 'subject_kind', 'subject_id', 'since', 'until'] as const;

export function AuditFilters() {
  const { t } = useText();
  const [{ since = '', until = '' }, change] = useFilters(auditFilterNames);
  return (
    <FilterBar
      otherNames={['since', 'until']}
      fields={[
        { name: 'actor', label: t('audit.actor'), width: 140 },
        {
          name: 'action',
          label: t('audit.action'),
          width: 190,
          options: actionNames.map((value) => ({
            value,
            label: `${actionWords(value, t).replace(/[:：]$/, '')} (${value})`,
          })),
        },
        {
          name: 'subject_kind',
          label: t('audit.kind'),
          width: 140,
          options: kindNames.map((value) => ({ value, label: kindWords(value, t) })),
        },
        { name: 'subject_id', label: t('audit.subject'), width: 150 },
      ]}
    >
      <Group gap="xs" wrap="nowrap">
        <DateField
          aria-label={t('audit.since')}
          leftSection={t('audit.since')}
          leftSectionWidth={48}
          value={since}
          max={until}
          w={172}
          miw={0}
          onChange={(day) => change({ since: day })}
        />
        <DateField
          aria-label={t('audit.until')}
          leftSection={t('audit.until')}
          leftSectionWidth={48}
          value={until}
          min={since}
          w={172}
          miw={0}
          onChange={(day) => change({ until: day })}
        />
      </Group>
    </FilterBar>
  );
}
