import { Text } from '@mantine/core';
import type { ApiError } from '../../api/api-error.ts';
import type { OwnModel } from '../../api/wire.ts';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Price } from '../../components/money.tsx';
import { PerformanceCell } from '../../components/performance.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ModelsIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { modelPath } from './model-path.ts';
import { ModelTags } from './model-tags.tsx';

export interface ModelTableProps {
  /** Undefined while loading. */
  readonly models: readonly OwnModel[] | undefined;
  readonly error: ApiError | null;
  readonly onRetry: () => void;
  readonly isSearched: boolean;
}

export function ModelTable({ models, error, onRetry, isSearched }: ModelTableProps) {
  const { t } = useText();
  const format = useFormat();
  const tokens = (count: number | null) => (count === null ? '–' : format.compact(count));
  const columns: readonly Column<OwnModel>[] = [
    {
      key: 'id',
      header: t('models.model'),
      cell: ({ id, aliases, description }) => (
        <>
          {id}
          {aliases.length > 0 && (
            <Text fz="xs" c="dimmed" fw={400}>
              {t('models.alsoCalled', { names: aliases.join(', ') })}
            </Text>
          )}
          {description !== null && (
            <Text fz="xs" c="dimmed" fw={400} lineClamp={2} maw={360}>
              {description}
            </Text>
          )}
        </>
      ),
    },
    { key: 'tags', header: t('models.surfaces'), cell: (model) => <ModelTags model={model} /> },
    {
      key: 'context',
      header: t('models.context'),
      align: 'right',
      cell: ({ context_window: window }) => tokens(window),
    },
    {
      key: 'maxOutput',
      header: t('models.maxOutput'),
      align: 'right',
      wideOnly: true,
      cell: ({ max_output_tokens: most }) => tokens(most),
    },
    { key: 'input', header: t('models.input'), align: 'right', cell: ({ price }) => <Price amount={price.input} /> },
    {
      key: 'cached',
      header: t('models.cachedInput'),
      align: 'right',
      wideOnly: true,
      cell: ({ price }) => <Price amount={price.cached_input} />,
    },
    { key: 'output', header: t('models.output'), align: 'right', cell: ({ price }) => <Price amount={price.output} /> },
    {
      key: 'performance',
      header: t('performance.week'),
      align: 'right',
      cell: ({ performance }) => <PerformanceCell figures={performance.week} />,
    },
  ];
  return (
    <>
      <DataTable
        label={t('nav.models')}
        columns={columns}
        pages={{ ...asPages({ data: models, error }), retry: onRetry }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => modelPath(id)}
        empty={
          <EmptyState
            icon={<ModelsIcon size={22} />}
            title={t(isSearched ? 'models.notFoundTitle' : 'models.emptyTitle')}
            text={t(isSearched ? 'models.notFoundText' : 'models.emptyText')}
          />
        }
      />
      <Text fz="sm" c="dimmed" mt="sm">
        {t('models.pricesPer')}
      </Text>
    </>
  );
}
