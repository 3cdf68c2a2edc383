import { Alert, Skeleton, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { type Page, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { type Offer, useOffers } from './presets.ts';
import { UpstreamForm } from './upstream-form.tsx';
import { upstreamLabels } from './upstream-labels.ts';
import { newValues, specOf, type UpstreamValues } from './upstream-values.ts';
import classes from './upstreams.module.css';

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
            <ViewAnchor to="/app/operator/upstreams" search={{ add: 'choose' }} fz="sm">
              {t('upstreams.chooseOther')}
            </ViewAnchor>
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

/** The first step: choose a provider. */
function PresetChoice() {
  const { t } = useText();
  const { offers, error, retry } = useOffers();
  const [search, setSearch] = useState('');
  if (error && !offers) return <ErrorNotice error={error} onRetry={retry} />;
  const query = search.trim().toLowerCase();
  const matches = offers?.filter(({ name, title, base_url }) =>
    `${name} ${title} ${base_url}`.toLowerCase().includes(query),
  );
  return (
    <>
      <TextInput
        aria-label={t('upstreams.searchPresets')}
        placeholder={t('upstreams.searchPresets')}
        leftSection={<SearchIcon size={16} />}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        maw={360}
        mb="lg"
      />
      {!matches && <Skeleton height={320} radius="lg" />}
      {matches && (
        <Offers title={t('upstreams.knownProviders')} offers={matches.filter(({ isGeneral }) => !isGeneral)} />
      )}
      {matches && (
        <Offers title={t('upstreams.otherProviders')} offers={matches.filter(({ isGeneral }) => isGeneral)} />
      )}
      {matches?.length === 0 && <Text c="dimmed">{t('upstreams.noPreset')}</Text>}
    </>
  );
}

function Offers({ title, offers }: { readonly title: string; readonly offers: readonly Offer[] }) {
  if (offers.length === 0) return null;
  return (
    <section className={classes['offers']}>
      <Title order={2} size="h3" mb="sm">
        {title}
      </Title>
      <ul className={classes['grid']}>
        {offers.map(({ key, title: name, base_url, note, isGeneral }) => (
          <li key={key}>
            <Link to="/app/operator/upstreams" search={{ add: key }} className={classes['offer']}>
              <span className={classes['offerTitle']}>{name}</span>
              <span className={classes['offerAddress']}>{isGeneral ? note : hostOf(base_url)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function hostOf(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}
