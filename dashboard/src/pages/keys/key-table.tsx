import { Badge, Menu, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Account, Key, StoredBodies } from '../../api/wire.ts';
import type { Pages } from '../../api/queries.ts';
import { keptFor, useStoredBodies } from '../../components/body-terms.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { KeyIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { useHonourStreamFalse } from './honour-stream-false.ts';
import type { KeyDialog } from './key-dialogs.tsx';
import type { KeyScope } from './key-scope.ts';
import { KeySpend } from './key-spend.tsx';
import classes from './keys.module.css';

export interface KeyTableProps {
  readonly scope: KeyScope;
  readonly pages: Pages<Key>;
  readonly withEnded: boolean;
  readonly mayWrite: boolean;
  /** The status of the account of these keys. */
  readonly status: Account['status'] | undefined;
  /** Undefined if the user may not create keys. */
  readonly onCreate: (() => void) | undefined;
  readonly onAction: (action: KeyDialog['action'], key: Key) => void;
}

export function KeyTable({ scope, pages, withEnded, mayWrite, status, onCreate, onAction }: KeyTableProps) {
  const { t } = useText();
  const { mutate } = useHonourStreamFalse(scope.path);
  const { data: bodies } = useStoredBodies(scope.accountId !== undefined);
  const shown = withEnded ? pages.rows : pages.rows?.filter(({ state }) => state === 'active');
  const columns: readonly Column<Key>[] = [
    { key: 'name', header: t('common.name'), cell: (key) => <KeyName apiKey={key} bodies={bodies} /> },
    { key: 'state', header: t('keys.state'), cell: (key) => <KeyState state={effectiveStateOf(key, status)} /> },
    { key: 'models', header: t('keys.models'), wideOnly: true, cell: (key) => <KeyModels models={key.models} /> },
    { key: 'used', header: t('keys.lastUsed'), cell: ({ last_used_at: at }) => <When at={at} /> },
    {
      key: 'expires',
      header: t('keys.expires'),
      cell: ({ expires_at: at, revoked_at: revoked }) => <When at={revoked ?? at} as="date" />,
    },
    { key: 'spent', header: t('keys.spent'), align: 'right', cell: (key) => <KeySpend apiKey={key} /> },
    {
      key: 'menu',
      header: '',
      align: 'right',
      width: 56,
      cell: (key) => (
        <KeyMenu
          apiKey={key}
          canChange={mayWrite && key.state === 'active'}
          canDeleteBodies={mayWrite && (bodies?.requests ?? 0) > 0}
          requestsPath={scope.accountId === undefined ? '/app/requests' : '/app/operator/requests'}
          onEdit={() => onAction('edit', key)}
          onHonour={() => mutate({ id: key.id, name: key.name, isHonoured: !key.honour_stream_false })}
          onRotate={() => onAction('rotate', key)}
          onRevoke={() => onAction('revoke', key)}
          onDeleteBodies={() => onAction('bodies', key)}
        />
      ),
    },
  ];
  return (
    <DataTable
      label={t('nav.keys')}
      columns={columns}
      pages={{ ...pages, rows: shown }}
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          icon={<KeyIcon size={22} />}
          title={t(pages.rows?.length ? 'keys.noneActiveTitle' : 'keys.emptyTitle')}
          text={t('keys.emptyText')}
          action={onCreate && <AddButton onClick={onCreate}>{t('keys.create')}</AddButton>}
        />
      }
    />
  );
}

function KeyName({ apiKey, bodies }: { readonly apiKey: Key; readonly bodies: StoredBodies | undefined }) {
  const { t } = useText();
  return (
    <div className={classes['name']}>
      <Text fw={520}>
        {apiKey.name}{' '}
        {apiKey.honour_stream_false && (
          <Tooltip label={t('keys.nonStreamingSwitch')}>
            <Badge size="sm" color="gray" tabIndex={0}>
              {t('keys.nonStreamingBadge')}
            </Badge>
          </Tooltip>
        )}{' '}
        <KeyLimitBadges apiKey={apiKey} /> {apiKey.store_bodies && <StoredBadge bodies={bodies} />}
      </Text>
      <Text fz="xs" c="dimmed" ff="monospace">
        {apiKey.display}
      </Text>
    </div>
  );
}

/** Limits that have no column. */
function KeyLimitBadges({ apiKey: { max_concurrency: atOnce, addresses } }: { readonly apiKey: Key }) {
  const { t } = useText();
  return (
    <>
      {atOnce !== null && (
        <Tooltip label={t('keys.concurrencyHelp')}>
          <Badge size="sm" color="gray" tabIndex={0}>
            {t('keys.concurrencyBadge', { count: atOnce })}
          </Badge>
        </Tooltip>
      )}{' '}
      {addresses !== null && (
        <Tooltip label={addresses.join(', ')} maw={360} multiline>
          <Badge size="sm" color="gray" tabIndex={0}>
            {t('keys.addressesBadge', { count: addresses.length })}
          </Badge>
        </Tooltip>
      )}
    </>
  );
}

const stateColors = { active: 'accent', capped: 'yellow', suspended: 'red', expired: 'gray', revoked: 'red' } as const;

function KeyState({ state }: { readonly state: EffectiveKeyState }) {
  const { t } = useText();
  const badge = <Badge color={stateColors[state]}>{t(`keys.${state}`)}</Badge>;
  if (state !== 'capped' && state !== 'suspended') return badge;
  return <Tooltip label={t(`keys.${state}Help`)}>{badge}</Tooltip>;
}

function KeyModels({ models }: { readonly models: Key['models'] }) {
  const { t } = useText();
  if (!models) return <Text c="dimmed">{t('keys.allModels')}</Text>;
  const [first = '', ...more] = models;
  if (more.length === 0) return <>{first}</>;
  return (
    <Tooltip label={models.join(', ')} maw={360}>
      <Text span tabIndex={0}>
        {t('keys.modelsAndMore', { first, count: more.length })}
      </Text>
    </Tooltip>
  );
}

/**
 * How the gateway would treat a request with this key now: besides its own state, its cap or its account may reject it.
 */
type EffectiveKeyState = Key['state'] | 'capped' | 'suspended';

function effectiveStateOf(key: Key, account: Account['status'] | undefined): EffectiveKeyState {
  if (key.state !== 'active') return key.state;
  if (account === 'suspended') return 'suspended';
  return key.spend_cap !== null && Number(key.cap_spent) >= Number(key.spend_cap) ? 'capped' : 'active';
}

/** Marks a key whose requests are stored. */
function StoredBadge({ bodies }: { readonly bodies: StoredBodies | undefined }) {
  const { t } = useText();
  if (!bodies?.allowed) return null;
  return (
    <Tooltip label={t('bodies.keyNotice', { time: keptFor(bodies, t) })} maw={360} multiline>
      <Badge size="sm" color="yellow" tabIndex={0}>
        {t('bodies.badge')}
      </Badge>
    </Tooltip>
  );
}

interface KeyMenuProps {
  readonly apiKey: Key;
  readonly canChange: boolean;
  readonly canDeleteBodies: boolean;
  /** The page of requests for this user. */
  readonly requestsPath: '/app/requests' | '/app/operator/requests';
  readonly onEdit: () => void;
  readonly onHonour: () => void;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
  readonly onDeleteBodies: () => void;
}

/** The actions of a key. */
function KeyMenu({ apiKey, canChange, canDeleteBodies, requestsPath, ...on }: KeyMenuProps) {
  const { t } = useText();
  return (
    <RowMenu label={t('keys.menu', { name: apiKey.name })}>
      <Menu.Item renderRoot={(props) => <Link to={requestsPath} search={{ key: apiKey.id }} {...props} />}>
        {t('keys.showRequests')}
      </Menu.Item>
      {canChange && <Menu.Item onClick={on.onEdit}>{t('keys.editAction')}</Menu.Item>}
      {canChange && (
        <Menu.Item onClick={on.onHonour}>
          {t(apiKey.honour_stream_false ? 'keys.streamAction' : 'keys.nonStreamingAction')}
        </Menu.Item>
      )}
      {canDeleteBodies && <Menu.Item onClick={on.onDeleteBodies}>{t('bodies.deleteKeyAction')}</Menu.Item>}
      {canChange && <Menu.Item onClick={on.onRotate}>{t('keys.rotateAction')}</Menu.Item>}
      {canChange && (
        <Menu.Item color="red" onClick={on.onRevoke}>
          {t('keys.revokeAction')}
        </Menu.Item>
      )}
    </RowMenu>
  );
}
