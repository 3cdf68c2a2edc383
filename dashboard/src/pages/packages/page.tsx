import { Button } from '@mantine/core';
import type { Resource } from '../../api/resource.ts';
import { useMayOperate } from '../../api/session.ts';
import type { NewPackage } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { PackageDialog } from './package-dialog.tsx';
import { PackagesTable } from './packages-table.tsx';

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
    <Button leftSection={<PlusIcon size={16} />} onClick={() => change({ add: '1' }, { as: 'step' })}>
      {t('packages.add')}
    </Button>
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
