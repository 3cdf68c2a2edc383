import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Resource } from '../../api/resource.ts';
import type { NewModel } from '../../api/wire.ts';
import { type Page, useRead } from '../../api/queries.ts';
import { useText } from '../../text/text.tsx';
import classes from './upstream.module.css';

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
          <Button
            renderRoot={(props) => <Link {...props} to="/app/operator/models" search={{ add: 'new', upstream }} />}
            variant="default"
            size="xs"
          >
            {t('upstreams.addModel')}
          </Button>
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
