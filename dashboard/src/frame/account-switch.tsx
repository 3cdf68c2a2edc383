import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useAccountChoice } from '../api/account.tsx';
import { useSession } from '../api/session.ts';
import { CheckIcon, ChooseIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './navigation.module.css';

/** Shows the chosen account and switches to another. Renders nothing without an account. */
export function AccountSwitch() {
  const { t } = useText();
  const { accounts } = useSession();
  const { account, choose } = useAccountChoice();
  if (!account) return null;
  const face = (
    <>
      <Avatar size={28} radius="sm" color="gray" variant="light" aria-hidden>
        {account.name.slice(0, 1).toUpperCase()}
      </Avatar>
      <span className={classes['chooserText']}>
        <Text span fz="sm" fw={560}>
          {account.name}
        </Text>
        <Text span fz="xs" c="dimmed">
          {t('frame.account')}
        </Text>
      </span>
    </>
  );
  if (accounts.length < 2) return <div className={classes['chooser']}>{face}</div>;
  return (
    <Menu width={224} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes['chooser']}>
          <VisuallyHidden>{t('frame.switchAccount')}</VisuallyHidden>
          {face}
          <ChooseIcon size={16} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {accounts.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => choose(id)}
            rightSection={id === account.id ? <CheckIcon size={16} /> : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
