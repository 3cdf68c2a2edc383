import { Skeleton, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { type Offer, useOffers } from './presets.ts';
import classes from './upstreams.module.css';

/** The first step: choose a provider. */
export function PresetChoice() {
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
