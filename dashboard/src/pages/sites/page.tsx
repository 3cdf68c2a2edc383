import { Anchor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Resource } from '../../api/resource.ts';
import { useMayOperate } from '../../api/session.ts';
import type { NewSite } from '../../api/wire.ts';
import { type Pages, usePages } from '../../api/queries.ts';
import { OwnedByFile } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useFilters } from '../../components/filters.ts';
import { NameList } from '../../components/model-patterns.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { SitesIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { SiteDialog } from './site-dialog.tsx';

/** The sites. The URL contains the open one. */
export default function SitesPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const pages = usePages<Resource<NewSite>>('/admin/v1/sites', { limit: 200 });
  const [{ site: openName, add }, change] = useFilters(['site', 'add']);
  const close = () => change({ site: undefined, add: undefined });
  const open = pages.rows?.find(({ name }) => name === openName);
  const addButton = mayOperate && (
    <AddButton onClick={() => change({ add: '1' }, { as: 'step' })}>{t('sites.add')}</AddButton>
  );
  return (
    <>
      <PageHeader title={t('nav.sites')} description={t('sites.description')} actions={addButton} />
      <SitesTable pages={pages} addButton={addButton} onOpen={(name) => change({ site: name }, { as: 'step' })} />
      {(open || (add && mayOperate)) && <SiteDialog key={open?.name} site={open} onClose={close} />}
    </>
  );
}

interface SitesTableProps {
  readonly pages: Pages<Resource<NewSite>>;
  readonly addButton: ReactNode;
  readonly onOpen: (name: string) => void;
}

function SitesTable({ pages, addButton, onOpen }: SitesTableProps) {
  const { t } = useText();
  const columns: readonly Column<Resource<NewSite>>[] = [
    {
      key: 'name',
      header: t('sites.name'),
      cell: ({ name, spec }) => (
        <Stack gap={0} align="flex-start">
          <Anchor component="button" type="button" fw={560} onClick={() => onOpen(name)}>
            {name}
          </Anchor>
          {spec.title && (
            <Text fz="xs" c="dimmed">
              {spec.title}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'domains',
      header: t('sites.domains'),
      cell: ({ spec }) => <NameList names={spec.domains} everything={t('sites.anyDomain')} />,
    },
    {
      key: 'models',
      header: t('sites.models'),
      cell: ({ spec }) => <NameList names={spec.models} everything={t('common.allModels')} />,
    },
    {
      key: 'signUp',
      header: t('sites.signUp'),
      cell: ({ spec }) => t(spec.sign_up ? 'sites.signUpOpen' : 'sites.signUpClosed'),
    },
    {
      key: 'streamFalse',
      header: t('sites.streamFalse'),
      cell: ({ spec }) => t(spec.honour_stream_false ? 'common.yes' : 'common.no'),
      wideOnly: true,
    },
    { key: 'source', header: '', align: 'right', width: 200, cell: ({ source }) => <OwnedByFile source={source} /> },
  ];
  return (
    <DataTable
      label={t('nav.sites')}
      columns={columns}
      pages={pages}
      rowKey={({ name }) => name}
      empty={
        <EmptyState icon={<SitesIcon />} title={t('sites.emptyTitle')} text={t('sites.emptyText')} action={addButton} />
      }
    />
  );
}
