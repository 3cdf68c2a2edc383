import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAllRows } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { NewModel } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { CatalogAsKey } from './catalog-as-key.tsx';
import { ModelForm } from './model-form.tsx';
import { modelLabels } from './model-labels.ts';
import { AddModelButton, ModelList } from './model-list.tsx';
import { modelSpec, type ModelValues, modelValues } from './model-values.ts';

/** The catalog: all models, or the view of a key. With `?add=` in the URL: the form for a new model. */
export default function RoutesPage() {
  const { t } = useText();
  const mayWrite = useSession().operator !== 'read-only';
  const [{ add, upstream, view = 'all' }, change] = useFilters(['add', 'upstream', 'view']);
  const isList = view === 'all';
  const isEmpty = useAllRows<Resource>('/admin/v1/models', isList).data?.length === 0 && isList;
  if (add !== undefined && mayWrite) return <NewModel providerModel={add} upstream={upstream} />;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.routes')}
        description={t('routes.description')}
        actions={mayWrite && !isEmpty && <AddModelButton />}
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

interface NewModelProps {
  /** The model name of the provider, or `new` if not known yet. */
  readonly providerModel: string;
  readonly upstream: string | undefined;
}

/** Adds a model to the catalog. */
function NewModel({ providerModel, upstream = '' }: NewModelProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const id = providerModel === 'new' ? '' : providerModel;
  const add = useWrite<Resource<NewModel>, ModelValues>({
    path: '/admin/v1/models',
    send: (values) => modelSpec(values),
    changes: ['/admin/v1/models', '/admin/v1/catalog'],
    successMessage: (_, { name: model }) => t('routes.added', { model }),
  });
  const start = modelValues({
    id,
    routes: [{ upstream, ...(id !== '' && { model: id }) }],
    price: { input: '', output: '' },
  });
  return (
    <>
      <PageHeader title={t('routes.add')} description={t('routes.addText')} />
      <ModelForm
        start={start}
        isNew
        action={t('routes.add')}
        isBusy={add.isPending}
        error={add.error}
        notice={<ErrorNotice error={add.error} labels={modelLabels(t)} />}
        onCancel={() => void navigate({ to: '/app/operator/models' })}
        onSubmit={(values) =>
          add.mutate(values, {
            onSuccess: ({ name }) => void navigate({ to: `/app/operator/models/${encodeURIComponent(name)}` }),
          })
        }
      />
    </>
  );
}
