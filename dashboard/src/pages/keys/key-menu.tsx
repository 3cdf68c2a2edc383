import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Key } from '../../api/wire.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { useText } from '../../text/text.tsx';

export interface KeyMenuProps {
  readonly apiKey: Key;
  readonly canChange: boolean;
  readonly onHonour: () => void;
  readonly onRoll: () => void;
  readonly onRevoke: () => void;
}

/** What can be done with one key. */
export function KeyMenu({ apiKey, canChange, onHonour, onRoll, onRevoke }: KeyMenuProps) {
  const { t } = useText();
  return (
    <RowMenu label={t('keys.menu', { name: apiKey.name })}>
      <Menu.Item renderRoot={(props) => <Link to="/app/requests" search={{ key: apiKey.id }} {...props} />}>
        {t('keys.showRequests')}
      </Menu.Item>
      {canChange && (
        <Menu.Item onClick={onHonour}>
          {t(apiKey.honour_stream_false ? 'keys.streamAction' : 'keys.honourAction')}
        </Menu.Item>
      )}
      {canChange && <Menu.Item onClick={onRoll}>{t('keys.rollAction')}</Menu.Item>}
      {canChange && (
        <Menu.Item color="red" onClick={onRevoke}>
          {t('keys.revokeAction')}
        </Menu.Item>
      )}
    </RowMenu>
  );
}
