import { Group, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import type { OwnModel, OwnModels } from '../../api/wire.ts';
import { useSession } from '../../api/session.ts';
import { asPages, useRead } from '../../api/queries.ts';
import { NamedCell } from '../../components/cells.tsx';
import { Clip } from '../../components/clip.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { Price } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PerformanceCell } from '../../components/performance.tsx';
import { useTableView } from '../../components/table-view.ts';
import { ViewButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { ModelsIcon, SearchIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { ModelTags } from './model-tags.tsx';

/** All models that the account can call on this site. */
export default function ModelsPage() {
  const { t } = useText();
  const [{ search = '' }, change] = useFilters(['search']);
  const { data, error, refetch } = useRead<OwnModels>('/account/v1/models');
  const found = data?.data.filter((model) => matchesSearch(model, search));
  return (
    <>
      <PageHeader title={t('nav.models')} description={t('models.description')} />
      <ModelTable
        models={found}
        error={error}
        onRetry={() => void refetch()}
        isSearched={search !== ''}
        search={
          <TextInput
            type="search"
            aria-label={t('models.search')}
            placeholder={t('models.search')}
            leftSection={<SearchIcon size={16} />}
            value={search}
            onChange={({ currentTarget }) => change({ search: currentTarget.value || undefined })}
            w={280}
          />
        }
      />
    </>
  );
}

/** Whether every word of the search occurs in a model's names or description. */
function matchesSearch({ id, aliases, owned_by: owner, description }: OwnModel, search: string): boolean {
  const names = [id, ...aliases, owner, description ?? ''].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

interface ModelTableProps {
  /** Undefined while loading. */
  readonly models: readonly OwnModel[] | undefined;
  readonly error: ApiError | null;
  readonly onRetry: () => void;
  readonly isSearched: boolean;
  readonly search: ReactNode;
}

function ModelTable({ models, error, onRetry, isSearched, search }: ModelTableProps) {
  const { t } = useText();
  const format = useFormat();
  const { operator } = useSession();
  const view = useTableView('models');
  const tokens = (count: number | null) => (count === null ? '–' : format.compact(count));
  const columns: readonly Column<OwnModel>[] = [
    {
      key: 'id',
      header: t('models.model'),
      phone: 'lead',
      cell: ({ id, aliases }) => <NamedCell name={id} more={aliases.join(', ')} />,
    },
    {
      key: 'description',
      header: t('models.about'),
      choice: 'hidden',
      dropOrder: 6,
      cell: ({ description }) => description ?? '–',
    },
    {
      key: 'tags',
      header: t('models.surfaces'),
      choice: 'shown',
      dropOrder: 5,
      cell: (model) => (
        <Clip>
          <ModelTags model={model} />
        </Clip>
      ),
    },
    {
      key: 'context',
      header: t('models.context'),
      align: 'right',
      choice: 'shown',
      dropOrder: 2,
      phone: 'note',
      cell: ({ context_window: window }) => tokens(window),
    },
    {
      key: 'maxOutput',
      header: t('models.maxOutput'),
      align: 'right',
      choice: 'shown',
      dropOrder: 3,
      cell: ({ max_output_tokens: most }) => tokens(most),
    },
    {
      key: 'input',
      header: t('models.input'),
      align: 'right',
      phone: 'trail',
      cell: ({ price }) => <Price amount={price.input} />,
    },
    {
      key: 'cached',
      header: t('models.cachedInput'),
      align: 'right',
      choice: 'shown',
      dropOrder: 4,
      cell: ({ price }) => <Price amount={price.cached_input} />,
    },
    {
      key: 'output',
      header: t('models.output'),
      align: 'right',
      phone: 'end',
      cell: ({ price }) => <Price amount={price.output} />,
    },
    {
      key: 'performance',
      header: t('performance.week'),
      align: 'right',
      choice: 'shown',
      dropOrder: 1,
      cell: ({ performance }) => <PerformanceCell figures={performance.week} />,
    },
  ];
  return (
    <>
      <Group mb="sm" gap="xs" justify="space-between" wrap="nowrap">
        {search}
        <ViewMenu view={view} columns={columns} />
      </Group>
      <DataTable
        label={t('nav.models')}
        columns={columns}
        view={view}
        pages={{ ...asPages({ data: models, error }), retry: onRetry }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => modelPath(id)}
        empty={
          <EmptyState
            icon={<ModelsIcon size={22} />}
            title={t(isSearched ? 'models.notFoundTitle' : 'models.emptyTitle')}
            text={t(isSearched ? 'models.notFoundText' : 'models.emptyText')}
            action={
              isSearched ? (
                <ClearFilters names={['search']} />
              ) : (
                operator && <ViewButton to="/app/operator/models">{t('nav.routes')}</ViewButton>
              )
            }
          />
        }
      />
      <Text fz="sm" c="dimmed" mt="sm">
        {t('models.pricesPer')}
      </Text>
    </>
  );
}

/** The page of a model. An id may contain a slash, which must stay within its segment. */
function modelPath(id: string): string {
  return `/app/models/${encodeURIComponent(id)}`;
}
