import { Alert, Anchor, Skeleton } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { type Page, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { PresetChoice } from './preset-choice.tsx';
import { type Offer, useOffers } from './presets.ts';
import { UpstreamForm } from './upstream-form.tsx';
import { upstreamLabels } from './upstream-labels.ts';
import { newValues, specOf, type UpstreamValues } from './upstream-values.ts';

/** Adds an upstream in two steps, then tests it. */
export function AddUpstream({ presetKey }: { readonly presetKey: string }) {
  const { t } = useText();
  const { offers, error, retry } = useOffers();
  const offer = offers?.find(({ key }) => key === presetKey);
  return (
    <>
      <PageHeader
        title={offer ? t('upstreams.addKind', { kind: offer.title }) : t('upstreams.add')}
        description={
          offer ? (
            <Anchor
              renderRoot={(props) => <Link {...props} to="/app/operator/upstreams" search={{ add: 'choose' }} />}
              fz="sm"
            >
              {t('upstreams.chooseOther')}
            </Anchor>
          ) : (
            t('upstreams.choose')
          )
        }
      />
      {offer ? (
        <NewUpstream offer={offer} />
      ) : presetKey === 'choose' || offers ? (
        <PresetChoice />
      ) : error ? (
        <ErrorNotice error={error} onRetry={retry} />
      ) : (
        <Skeleton height={320} radius="lg" />
      )}
    </>
  );
}

function NewUpstream({ offer }: { readonly offer: Offer }) {
  const { t } = useText();
  const navigate = useNavigate();
  const { data } = useRead<Page<Resource<UpstreamSpec>>>('/admin/v1/upstreams', { limit: 200 });
  const add = useWrite<Resource<UpstreamSpec>, UpstreamValues>({
    path: '/admin/v1/upstreams',
    send: (values) => specOf(offer.name, values),
    changes: ['/admin/v1/upstreams', '/admin/v1/catalog', '/admin/v1/live'],
  });
  if (!data) return <Skeleton height={240} maw={560} />;
  return (
    <>
      {offer.note && !offer.isGeneral && (
        <Alert color="gray" mb="lg" maw={560}>
          {offer.note}
        </Alert>
      )}
      <UpstreamForm
        key={offer.key}
        preset={offer}
        start={newValues(
          offer.isGeneral && offer.name !== 'simulated' ? { ...offer, name: 'provider' } : offer,
          data.data.map(({ name }) => name),
        )}
        isNew
        action={t('upstreams.addAndTest')}
        isBusy={add.isPending}
        notice={<ErrorNotice error={add.error} labels={upstreamLabels(t)} />}
        onCancel={() => void navigate({ to: '/app/operator/upstreams' })}
        onSubmit={(values) =>
          add.mutate(values, {
            onSuccess: ({ name }) =>
              void navigate({
                to: `/app/operator/upstreams/${encodeURIComponent(name)}`,
                search: { test: '1' },
              }),
          })
        }
      />
    </>
  );
}
