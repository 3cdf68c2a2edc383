import { Alert, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CatalogView } from '../../api/wire.ts';
import { asPages, useRead } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filter-bar.tsx';
import { KeyIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { CatalogChoice } from './catalog-choice.tsx';
import { useModelRows } from './model-rows.ts';
import { surfaceName } from './surface-name.ts';
import classes from './routes.module.css';

/** The catalog as a key sees it on a domain, and the models that are hidden from it. */
export function CatalogAsKey() {
  const { t } = useText();
  const [{ key, domain }] = useFilters(['key', 'domain']);
  const isChosen = key !== undefined && domain !== undefined;
  const view = useRead<CatalogView>('/admin/v1/catalog', { key, domain }, { enabled: isChosen });
  return (
    <>
      <CatalogChoice />
      {!isChosen && <EmptyState icon={<KeyIcon />} title={t('routes.viewTitle')} text={t('routes.viewText')} />}
      <ErrorNotice error={view.error} onRetry={() => void view.refetch()} />
      {isChosen && !view.data && !view.error && <Skeleton height={240} radius="lg" />}
      {isChosen && view.data && <VisibleModel view={view.data} domain={domain} />}
    </>
  );
}

type VisibleModel = CatalogView['models'][number];

function VisibleModel({ view, domain }: { readonly view: CatalogView; readonly domain: string }) {
  const { t } = useText();
  const { rows } = useModelRows();
  const seen = new Set(view.models.map(({ id }) => id));
  const hidden = rows?.filter(({ entry }) => !seen.has(entry.name)) ?? [];
  const columns: readonly Column<VisibleModel>[] = [
    {
      key: 'id',
      header: t('routes.model'),
      cell: ({ id, aliases }) => (
        <span>
          {id}
          {aliases.length > 0 && <span className={classes['sub']}>{aliases.join(', ')}</span>}
        </span>
      ),
    },
    { key: 'owner', header: t('routes.ownedBy'), cell: ({ owned_by }) => owned_by },
    {
      key: 'surfaces',
      header: t('routes.surfaces'),
      cell: ({ surfaces }) => (
        <Group gap={4}>
          {surfaces.map((surface) => (
            <Badge key={surface} color="gray">
              {surfaceName(surface, t)}
            </Badge>
          ))}
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      {view.key_state !== 'active' && (
        <Alert color="red">{t('routes.keyNotActive', { state: t(keyStates[view.key_state]) })}</Alert>
      )}
      {view.site === null && <Alert color="yellow">{t('routes.noSite', { domain })}</Alert>}
      {view.site !== null && (
        <Text c="dimmed">{t('routes.seenOn', { site: view.site, count: view.models.length })}</Text>
      )}
      <DataTable
        label={t('routes.viewTab')}
        columns={columns}
        pages={asPages({ data: view.models })}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/app/operator/models/${encodeURIComponent(id)}`}
        empty={<EmptyState title={t('routes.seesNothingTitle')} text={t('routes.seesNothingText')} />}
      />
      {hidden.length > 0 && (
        <section>
          <Text fw={560} mb={4}>
            {t('routes.hidden', { count: hidden.length })}
          </Text>
          <ul className={classes['chips']}>
            {hidden.slice(0, 60).map(({ entry: { name } }) => (
              <li key={name}>
                <Link to={`/app/operator/models/${encodeURIComponent(name)}`} className={classes['chip']}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  );
}

const keyStates = {
  active: 'routes.keyActive',
  expired: 'routes.keyExpired',
  revoked: 'routes.keyRevoked',
  suspended: 'routes.keySuspended',
} as const;
