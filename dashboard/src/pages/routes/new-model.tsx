import { useNavigate } from '@tanstack/react-router';
import type { Resource } from '../../api/resource.ts';
import type { NewModel } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { ModelForm } from './model-form.tsx';
import { modelLabels } from './model-labels.ts';
import { modelSpec, type ModelValues, modelValues } from './model-values.ts';

export interface NewModelProps {
  /** The model name of the provider, or `new` if not known yet. */
  readonly providerModel: string;
  readonly upstream: string | undefined;
}

/** Adds a model to the catalog. */
export function NewModel({ providerModel, upstream = '' }: NewModelProps) {
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
