import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Key } from '../../api/wire.ts';
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
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          ml="auto"
          aria-label={t('keys.menu', { name: apiKey.name })}
        >
          <svg width={18} height={18} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
            <circle cx="5" cy="12" r="1.7" />
            <circle cx="12" cy="12" r="1.7" />
            <circle cx="19" cy="12" r="1.7" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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
      </Menu.Dropdown>
    </Menu>
  );
}
