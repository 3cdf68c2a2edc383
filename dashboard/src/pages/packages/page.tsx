import { Anchor, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Resource } from '../../api/resource.ts';
import { useMayOperate } from '../../api/session.ts';
import type { NewPackage } from '../../api/wire.ts';
import { type Pages, usePages } from '../../api/queries.ts';
import { OwnedByFile } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useFilters } from '../../components/filters.ts';
import { NameList } from '../../components/model-patterns.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { AddButton, ViewAnchor } from '../../components/view-links.tsx';
import { PackagesIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { PackageDialog } from './package-dialog.tsx';
import { type PackageEntry, shareInWords, weightOf } from './share.ts';

/** The packages. The URL contains the open one. */
export default function PackagesPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const pages = usePages<Resource<NewPackage>>('/admin/v1/packages', { limit: 200 });
  const [{ package: openName, add }, change] = useFilters(['package', 'add']);
  const close = () => change({ package: undefined, add: undefined });
  const all = pages.rows ?? [];
  const open = all.find(({ name }) => name === openName);
  const addButton = mayOperate && (
    <AddButton onClick={() => change({ add: '1' }, { as: 'step' })}>{t('packages.add')}</AddButton>
  );
  return (
    <>
      <PageHeader title={t('nav.packages')} description={t('packages.description')} actions={addButton} />
      <PackagesTable pages={pages} addButton={addButton} onOpen={(name) => change({ package: name }, { as: 'step' })} />
      {(open || (add && mayOperate)) && (
        <PackageDialog key={open?.name} entry={open} others={all.filter((each) => each !== open)} onClose={close} />
      )}
    </>
  );
}

interface PackagesTableProps {
  readonly pages: Pages<PackageEntry>;
  readonly addButton: ReactNode;
  readonly onOpen: (name: string) => void;
}

function PackagesTable({ pages, addButton, onOpen }: PackagesTableProps) {
  const { t } = useText();
  const all = pages.rows ?? [];
  const heaviest = Math.max(1, ...all.map(weightOf));
  const columns: readonly Column<PackageEntry>[] = [
    {
      key: 'name',
      header: t('packages.name'),
      cell: ({ name }) => (
        <Anchor component="button" type="button" fw={560} onClick={() => onOpen(name)}>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'models',
      header: t('packages.models'),
      cell: ({ spec }) => <NameList names={spec.models} everything={t('common.allModels')} />,
    },
    { key: 'weight', header: t('packages.weight'), align: 'right', cell: weightOf },
    {
      key: 'share',
      header: t('packages.share'),
      width: 240,
      cell: (entry) => (
        <Stack gap={6}>
          <Text fz="sm">{shareInWords(entry, all, t)}</Text>
          <Progress value={(weightOf(entry) / heaviest) * 100} size={4} aria-hidden maw={220} visibleFrom="sm" />
        </Stack>
      ),
    },
    {
      key: 'accounts',
      header: t('packages.accounts'),
      cell: ({ name }) => (
        <ViewAnchor to="/app/operator/accounts" search={{ package: name }}>
          {t('packages.showAccounts')}
        </ViewAnchor>
      ),
    },
    { key: 'source', header: '', align: 'right', width: 200, cell: ({ source }) => <OwnedByFile source={source} /> },
  ];
  return (
    <DataTable
      label={t('nav.packages')}
      columns={columns}
      pages={pages}
      rowKey={({ name }) => name}
      empty={
        <EmptyState
          icon={<PackagesIcon />}
          title={t('packages.emptyTitle')}
          text={t('packages.emptyText')}
          action={addButton}
        />
      }
    />
  );
}
