import { notifications } from '@mantine/notifications';
import { Skeleton } from '@mantine/core';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useWrite } from '../../api/queries.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { offerOf, useOffers } from '../upstreams/presets.ts';
import { UpstreamForm } from '../upstreams/upstream-form.tsx';
import { losesSecrets, specOf, type UpstreamValues, valuesOf } from '../upstreams/upstream-values.ts';

export interface EditUpstreamProps {
  readonly entry: Resource<UpstreamSpec>;
  readonly onDone: () => void;
}

/** Changes an upstream that was added. What the form does not ask for stays. */
export function EditUpstream({ entry, onDone }: EditUpstreamProps) {
  const { t } = useText();
  const { offers } = useOffers();
  const { name, spec, secrets } = entry;
  const save = useWrite<unknown, UpstreamValues>({
    method: 'PUT',
    path: `/admin/v1/upstreams/${encodeURIComponent(name)}`,
    send: (values) => specOf(spec.kind, values, spec),
    changes: ['/admin/v1/upstreams', '/admin/v1/catalog', '/admin/v1/live'],
  });
  const preset = offerOf(offers, spec);
  return (
    <>
      <PageHeader title={t('upstreams.editTitle', { name })} />
      {preset ? (
        <UpstreamForm
          preset={preset}
          start={valuesOf(spec, secrets, preset.fields)}
          isNew={false}
          needsSecrets={(values) => losesSecrets(values, spec, secrets)}
          action={t('common.save')}
          isBusy={save.isPending}
          error={save.error}
          onCancel={onDone}
          onSubmit={(values) =>
            save.mutate(values, {
              onSuccess: () => {
                notifications.show({ message: t('common.saved') });
                onDone();
              },
            })
          }
        />
      ) : (
        <Skeleton height={320} maw={560} />
      )}
    </>
  );
}
