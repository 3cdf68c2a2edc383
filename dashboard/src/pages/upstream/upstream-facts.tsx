import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
import { offerOf, useOffers } from '../upstreams/presets.ts';
import { settingName } from '../upstreams/setting-words.ts';
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
