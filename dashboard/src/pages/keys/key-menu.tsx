import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Key } from '../../api/wire.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { useText } from '../../text/text.tsx';

export interface KeyMenuProps {
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
export function KeyMenu({ apiKey, canChange, canDeleteBodies, requestsPath, ...on }: KeyMenuProps) {
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
