import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { defaultConcurrency } from '../upstreams/upstream-values.ts';
import classes from './upstream.module.css';

const saidElsewhere = new Set(['name', 'kind', 'base_url', 'enabled', 'max_concurrency']);

/** The entry as the configuration would say it, without secrets. */
export function UpstreamFacts({ entry: { spec, secrets } }: { readonly entry: Resource<UpstreamSpec> }) {
  const { t } = useText();
  const format = useFormat();
  const rest = Object.entries(spec).filter(([field]) => !saidElsewhere.has(field));
  return (
    <dl className={classes['facts']}>
      <dt>{t('upstreams.kind')}</dt>
      <dd>{spec.kind}</dd>
      <dt>{t('upstreams.baseUrl')}</dt>
      <dd>{spec.base_url ?? t('upstreams.usualAddress')}</dd>
      <dt>{t('upstreams.maxConcurrency')}</dt>
      <dd>{format.number(spec.max_concurrency ?? defaultConcurrency)}</dd>
      {rest.map(([field, value]) => (
        <Fact key={field} field={field} value={value} />
      ))}
      <dt>{t('upstreams.secretsSet')}</dt>
      <dd>{secrets.length === 0 ? t('common.none') : secrets.join(', ')}</dd>
    </dl>
  );
}

function Fact({ field, value }: { readonly field: string; readonly value: unknown }) {
  return (
    <>
      <dt>{field}</dt>
      <dd>{inWords(value)}</dd>
    </>
  );
}

function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${inWords(each)}`)
    .join(', ');
}
