import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Page, useRead } from '../../api/queries.ts';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import type { NewModel } from '../../api/wire.ts';
import { ViewButton } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
import { offerOf, useOffers } from '../upstreams/presets.ts';
import { settingName } from '../upstreams/upstream-labels.ts';
import { defaultConcurrency } from '../upstreams/upstream-values.ts';
import classes from './upstream.module.css';

const shownElsewhere = new Set(['name', 'kind', 'base_url', 'enabled', 'max_concurrency']);

/** The entry as in the configuration, without secrets. */
export function UpstreamFacts({ entry: { spec, secrets } }: { readonly entry: Resource<UpstreamSpec> }) {
  const { t } = useText();
  const format = useFormat();
  const { offers } = useOffers();
  const rest = Object.entries(spec).filter(([field]) => !shownElsewhere.has(field));
  return (
    <dl className={classes['facts']}>
      <dt>{t('upstreams.kind')}</dt>
      <dd>{offerOf(offers, spec)?.title ?? spec.kind}</dd>
      <dt>{t('upstreams.baseUrl')}</dt>
      <dd>{spec.base_url ?? t('upstreams.defaultUrl')}</dd>
      <dt>{t('upstreams.maxConcurrency')}</dt>
      <dd>{format.number(spec.max_concurrency ?? defaultConcurrency)}</dd>
      {rest.map(([field, value]) => (
        <Fact key={field} field={field} value={value} />
      ))}
      <dt>{t('upstreams.secretsSet')}</dt>
      <dd>{secrets.length === 0 ? t('common.none') : secrets.map((name) => settingName(name, t)).join(', ')}</dd>
    </dl>
  );
}

function Fact({ field, value }: { readonly field: string; readonly value: unknown }) {
  const { t } = useText();
  return (
    <>
      <dt>{settingName(field, t)}</dt>
      <dd>{valueText(value, t)}</dd>
    </>
  );
}

function valueText(value: unknown, t: Translate): string {
  if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map((each) => valueText(each, t)).join(', ');
  return Object.entries(value)
    .map(([name, each]) => `${settingName(name, t)}: ${valueText(each, t)}`)
    .join(', ');
}

/** The models with a route to an upstream, and a link to add another. */
export function UpstreamModels({ upstream, mayWrite }: { readonly upstream: string; readonly mayWrite: boolean }) {
  const { t } = useText();
  const { data } = useRead<Page<Resource<NewModel>>>('/admin/v1/models', { limit: 200 });
  const models = data?.data.filter(({ spec }) => spec.routes.some((route) => route.upstream === upstream));
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t('upstreams.models')}</Title>
        {mayWrite && (
          <ViewButton to="/app/operator/models" search={{ add: 'new', upstream }} variant="default" size="xs">
            {t('upstreams.addModel')}
          </ViewButton>
        )}
      </Group>
      {models?.length === 0 && <Text c="dimmed">{t('upstreams.noModels')}</Text>}
      <ul className={classes['models']}>
        {models?.map(({ name }) => (
          <li key={name}>
            <Link to={`/app/operator/models/${encodeURIComponent(name)}`} className={classes['model']}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
