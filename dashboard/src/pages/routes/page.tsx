import { Tabs } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { CatalogAsKey } from './catalog-as-key.tsx';
import { AddModelButton, ModelList } from './model-list.tsx';
import { NewModel } from './new-model.tsx';

/** The catalog: all models, or the view of a key. With `?add=` in the URL: the form for a new model. */
export default function RoutesPage() {
  const { t } = useText();
  const mayWrite = useSession().operator !== 'read-only';
  const [{ add, upstream, view = 'all' }, change] = useFilters(['add', 'upstream', 'view']);
  if (add !== undefined && mayWrite) return <NewModel providerModel={add} upstream={upstream} />;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.routes')}
        description={t('routes.description')}
        actions={mayWrite && <AddModelButton />}
      />
      <Tabs
        value={view}
        onChange={(chosen) => change({ view: chosen === 'all' ? undefined : (chosen ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="all">{t('routes.allTab')}</Tabs.Tab>
          <Tabs.Tab value="key">{t('routes.viewTab')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="all">
          <ModelList mayWrite={mayWrite} />
        </Tabs.Panel>
        <Tabs.Panel value="key">
          <CatalogAsKey />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
