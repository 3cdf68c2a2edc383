import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Account, Key } from '../../api/wire.ts';
import { useStoredBodies } from '../../components/body-terms.ts';
import { NamedCell } from '../../components/cells.tsx';
import type { Column } from '../../components/data-table.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { When } from '../../components/when.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { useHonourStreamFalse } from './honour-stream-false.ts';
import { effectiveStateOf, KeyModels, KeySettings, KeyState } from './key-cells.tsx';
import type { KeyDialog } from './key-dialogs.tsx';
import { isChangeable, type KeyScope } from './key-scope.ts';
import { KeySpend } from './key-spend.tsx';
import classes from './keys.module.css';
import { texts } from './texts.ts';

interface KeyColumnsOptions {
  readonly scope: KeyScope;
  readonly mayWrite: boolean;
  /** The status of the account of these keys. */
  readonly status: Account['status'] | undefined;
  readonly onAction: (action: KeyDialog['action'], key: Key) => void;
}

/** The columns of a table of keys. */
export function useKeyColumns({ scope, mayWrite, status, onAction }: KeyColumnsOptions): readonly Column<Key>[] {
  const { t } = useText();
  const p = usePageText(texts);
  const { data: bodies } = useStoredBodies(scope.accountId !== undefined);
  return [
    {
      key: 'name',
      header: t('common.name'),
      minWidth: 130,
      phone: 'lead',
      cell: ({ name }) => <NamedCell name={name} />,
    },
    {
      key: 'display',
      header: p('key'),
      choice: 'shown',
      dropOrder: 4,
      cell: ({ display }) => <code className={classes['display']}>{display}</code>,
    },
    {
      key: 'state',
      header: t('keys.state'),
      phone: 'state',
      cell: (key) => <KeyState state={effectiveStateOf(key, status)} />,
    },
    {
      key: 'member',
      header: t('keys.member'),
      choice: 'hidden',
      dropOrder: 6,
      cell: ({ member }) => member ?? '–',
    },
    {
      key: 'models',
      header: t('keys.models'),
      choice: 'shown',
      dropOrder: 3,
      cell: (key) => <KeyModels models={key.models} />,
    },
    {
      key: 'limits',
      header: p('limits'),
      choice: 'shown',
      dropOrder: 5,
      cell: (key) => <KeySettings apiKey={key} bodies={bodies} />,
    },
    {
      key: 'used',
      header: t('keys.lastUsed'),
      choice: 'shown',
      phone: 'note',
      cell: ({ last_used_at: at }) => <When at={at} />,
    },
    {
      key: 'expires',
      header: t('keys.expires'),
      choice: 'shown',
      dropOrder: 2,
      cell: ({ expires_at: at, revoked_at: revoked }) => <When at={revoked ?? at} as="date" />,
    },
    {
      key: 'spent',
      header: t('keys.spent'),
      align: 'right',
      choice: 'shown',
      phone: 'trail',
      cell: (key) => <KeySpend apiKey={key} />,
    },
    {
      key: 'menu',
      header: '',
      align: 'right',
      width: 48,
      phone: 'menu',
      cell: (key) => <KeyMenu apiKey={key} scope={scope} mayWrite={mayWrite} onAction={onAction} />,
    },
  ];
}

interface KeyMenuProps extends Omit<KeyColumnsOptions, 'status'> {
  readonly apiKey: Key;
}

/** The actions of a key. */
function KeyMenu({ apiKey, scope, mayWrite, onAction }: KeyMenuProps) {
  const { t } = useText();
  const { mutate } = useHonourStreamFalse(scope.path);
  const { data: bodies } = useStoredBodies(scope.accountId !== undefined);
  const isOwn = mayWrite && isChangeable(scope, apiKey);
  const canChange = isOwn && apiKey.state === 'active';
  const { id, name, honour_stream_false: isHonoured } = apiKey;
  const requestsPath = scope.accountId === undefined ? '/app/requests' : '/app/operator/requests';
  return (
    <RowMenu label={t('keys.menu', { name })}>
      <Menu.Item renderRoot={(props) => <Link to={requestsPath} search={{ key: id }} {...props} />}>
        {t('keys.showRequests')}
      </Menu.Item>
      {canChange && <Menu.Item onClick={() => onAction('edit', apiKey)}>{t('keys.editAction')}</Menu.Item>}
      {canChange && (
        <Menu.Item onClick={() => mutate({ id, name, isHonoured: !isHonoured })}>
          {t(isHonoured ? 'keys.streamAction' : 'keys.nonStreamingAction')}
        </Menu.Item>
      )}
      {isOwn && (bodies?.requests ?? 0) > 0 && (
        <Menu.Item onClick={() => onAction('bodies', apiKey)}>{t('bodies.deleteKeyAction')}</Menu.Item>
      )}
      {canChange && <Menu.Item onClick={() => onAction('rotate', apiKey)}>{t('keys.rotateAction')}</Menu.Item>}
      {canChange && (
        <Menu.Item color="red" onClick={() => onAction('revoke', apiKey)}>
          {t('keys.revokeAction')}
        </Menu.Item>
      )}
    </RowMenu>
  );
}
