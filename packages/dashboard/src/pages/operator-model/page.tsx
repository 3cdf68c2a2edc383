import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Resource } from '../../api/resource.ts';
import type { NewModel } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { useReplacing } from '../../api/replacing.ts';
import { useSession } from '../../api/session.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { BackLink } from '../../components/view-links.tsx';
import { FileIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { ModelForm } from '../routes/model-form.tsx';
import { modelLabels } from '../routes/model-labels.ts';
import { modelSpec, modelValues } from '../routes/model-values.ts';
import { useModelLead } from '../usage/model-lead.tsx';
import { allUsage } from '../usage/scope.ts';
import { ModelFacts } from './model-facts.tsx';
import { ModelRoutes, useCatalogModels } from './model-routes.tsx';

/** One model: its routes and their health, price and capabilities. */
export default function ModelPage() {
  const { t } = useText();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const entry = useRead<Resource<NewModel>>(pathOf(id));
  const [{ edit }, change] = useFilters(['edit']);
  const mayWrite = useSession().operator !== 'read-only';
  if (entry.error && !entry.data)
    return (
      <PageError back={<BackLink to="/app/operator/models">{t('nav.routes')}</BackLink>} title={id} read={entry} />
    );
  if (!entry.data) return <Skeleton height={320} radius="lg" />;
  if (edit !== undefined && mayWrite && entry.data.source === 'store') {
    return <EditModel key={id} entry={entry.data} onDone={() => change({ edit: undefined })} />;
  }
  return <Model key={id} entry={entry.data} onEdit={() => change({ edit: '1' }, { as: 'step' })} />;
}

const changes = ['/admin/v1/models', '/admin/v1/catalog'];

function pathOf(id: string): string {
  return `/admin/v1/models/${encodeURIComponent(id)}`;
}

interface EditModelProps {
  readonly entry: Resource<NewModel>;
  readonly onDone: () => void;
}

function EditModel({ entry, onDone }: EditModelProps) {
  const { t } = useText();
  const { name } = entry;
  const edit = useReplacing<Resource<NewModel>, NewModel>(entry, {
    path: pathOf(name),
    changes,
    onSaved: onDone,
    // As the form writes it, so that a default value equals a missing one.
    fieldsOf: ({ spec: current }) => modelSpec(modelValues(current), current),
    labels: modelLabels(t),
    lists: {
      aliases: 'set',
      surfaces: 'set',
      endpoints: 'set',
      routes: ({ upstream, model = name }) => `${String(upstream)} ${String(model)}`,
    },
  });
  const { spec, version } = edit.base;
  return (
    <>
      <PageHeader title={t('upstreams.editTitle', { name })} description={t('routes.editText')} />
      <ModelForm
        key={version}
        start={modelValues(spec)}
        isNew={false}
        action={t('common.save')}
        isBusy={edit.isPending}
        error={edit.error}
        notice={<ConflictNotice edit={edit} />}
        onCancel={onDone}
        onSubmit={(values) => edit.save(modelSpec(values, spec))}
      />
    </>
  );
}

interface ModelProps {
  readonly entry: Resource<NewModel>;
  readonly onEdit: () => void;
}

function Model({ entry, onEdit }: ModelProps) {
  const { t } = useText();
  const mayWrite = useSession().operator !== 'read-only' && entry.source === 'store';
  const lead = useModelLead({ scope: allUsage, model: entry.name });
  const reads = [{ isPending: lead === undefined }, useCatalogModels()];
  return (
    <>
      <PageHeader
        title={entry.name}
        description={entry.spec.aliases?.join(', ')}
        actions={
          mayWrite && (
            <Group gap="xs">
              <RemoveModel name={entry.name} version={entry.version} />
              <Button onClick={onEdit}>{t('common.edit')}</Button>
            </Group>
          )
        }
      />
      <Stack gap="xl">
        {entry.source === 'file' && (
          <Alert color="gray" icon={<FileIcon />}>
            {t('routes.fileNote')}
          </Alert>
        )}
        {entry.spec.description !== undefined && <Text maw={720}>{entry.spec.description}</Text>}
        <AfterReads reads={reads}>
          <Stack gap="xl">
            {lead}
            <ModelRoutes entry={entry} />
            <ModelFacts entry={entry} />
          </Stack>
        </AfterReads>
      </Stack>
    </>
  );
}

function RemoveModel({ name, version }: { readonly name: string; readonly version: string }) {
  const { t } = useText();
  const navigate = useNavigate();
  const [isOpen, dialog] = useDisclosure(false);
  const remove = useWrite({
    method: 'DELETE',
    path: pathOf(name),
    ifMatch: () => version,
    changes,
    successMessage: () => t('upstreams.removed', { name }),
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {t('common.remove')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={t('upstreams.removeTitle', { name })}
        text={t('routes.removeText')}
        action={t('common.remove')}
        write={remove}
        onClose={dialog.close}
        onDone={() => void navigate({ to: '/app/operator/models' })}
      />
    </>
  );
}
