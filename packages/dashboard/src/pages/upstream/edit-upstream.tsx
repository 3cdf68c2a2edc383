import { Skeleton } from '@mantine/core';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useReplacing } from '../../api/replacing.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { offerOf, useOffers } from '../upstreams/presets.ts';
import { UpstreamForm } from '../upstreams/upstream-form.tsx';
import { upstreamLabels } from '../upstreams/upstream-labels.ts';
import { losesSecrets, specOf, valuesOf } from '../upstreams/upstream-values.ts';

export interface EditUpstreamProps {
  readonly entry: Resource<UpstreamSpec>;
  readonly onSaved: () => void;
  readonly onDone: () => void;
}

type UpstreamEntry = Resource<UpstreamSpec>;

const changes = ['/admin/v1/upstreams', '/admin/v1/catalog', '/admin/v1/live'];

/** Changes an upstream. Fields that the form does not have keep their values. */
export function EditUpstream({ entry, onSaved, onDone }: EditUpstreamProps) {
  const { t } = useText();
  const { offers } = useOffers();
  const { name } = entry;
  const path = `/admin/v1/upstreams/${encodeURIComponent(name)}`;
  const edit = useReplacing<UpstreamEntry, Readonly<Record<string, unknown>>>(entry, {
    path,
    changes,
    onSaved,
    fieldsOf: (current) => {
      const fields = offerOf(offers, current.spec)?.fields ?? [];
      return specOf(current.spec.kind, valuesOf(current.spec, current.secrets, fields), current.spec);
    },
    labels: upstreamLabels(t),
  });
  const { spec, secrets, version } = edit.base;
  const preset = offerOf(offers, spec);
  return (
    <>
      <PageHeader title={t('upstreams.editTitle', { name })} />
      {preset ? (
        <UpstreamForm
          key={version}
          preset={preset}
          start={valuesOf(spec, secrets, preset.fields)}
          isNew={false}
          needsSecrets={(values) => losesSecrets(values, spec, secrets)}
          action={t('common.save')}
          isBusy={edit.isPending}
          notice={<ConflictNotice edit={edit} />}
          onCancel={onDone}
          onSubmit={(values) => edit.save(specOf(spec.kind, values, spec))}
        />
      ) : (
        <Skeleton height={320} maw={560} />
      )}
    </>
  );
}
