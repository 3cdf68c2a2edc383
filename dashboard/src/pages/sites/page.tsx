import { Button } from '@mantine/core';
import type { Resource } from '../../api/resource.ts';
import { useMayOperate } from '../../api/session.ts';
import type { NewSite } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { SiteDialog } from './site-dialog.tsx';
import { SitesTable } from './sites-table.tsx';

/** The sites. The URL contains the open one. */
export default function SitesPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const pages = usePages<Resource<NewSite>>('/admin/v1/sites', { limit: 200 });
  const [{ site: openName, add }, change] = useFilters(['site', 'add']);
  const close = () => change({ site: undefined, add: undefined });
  const open = pages.rows?.find(({ name }) => name === openName);
  const addButton = mayOperate && (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => change({ add: '1' }, { as: 'step' })}>
      {t('sites.add')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('nav.sites')} description={t('sites.description')} actions={addButton} />
      <SitesTable pages={pages} addButton={addButton} onOpen={(name) => change({ site: name }, { as: 'step' })} />
      {(open || (add && mayOperate)) && <SiteDialog key={open?.name} site={open} onClose={close} />}
    </>
  );
}
