import { ActionIcon, Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAccountChoice } from '../api/account.tsx';
import { useSession, useSite } from '../api/session.ts';
import { CheckIcon, ChooseIcon, CloseIcon } from '../icons.tsx';
import { type PageEntry, pages } from '../routes.tsx';
import { useText } from '../text/text.tsx';
import classes from './navigation.module.css';
import { PaletteButton } from './palette/palette-button.tsx';
import { UserMenu } from './user-menu.tsx';

export interface NavigationProps {
  readonly onClose?: () => void;
  readonly onSearch: () => void;
}

/** Links to every page that this user may see. */
export function Navigation({ onClose, onSearch }: NavigationProps) {
  const { t } = useText();
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const links = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // The list is longer than most screens: scroll to the active link, for example after opening a URL.
  useEffect(() => {
    links.current?.querySelector('[data-status="active"]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  const listed = (part: PageEntry['part']) =>
    pages.filter((page) => page.part === part && page.icon && (!page.isForOwners || account?.role === 'owner'));
  return (
    <div className={classes['navigation']}>
      <div className={classes['head']}>
        <Brand />
        {onClose && (
          <ActionIcon
            variant="subtle"
            color="gray"
            ml="auto"
            size="lg"
            aria-label={t('frame.closeMenu')}
            onClick={onClose}
          >
            <CloseIcon />
          </ActionIcon>
        )}
      </div>
      <AccountSwitch />
      <PaletteButton onOpen={onSearch} />
      <nav ref={links} className={classes['links']} aria-label={t('frame.navigation')}>
        {account && <Part entries={listed('account')} />}
        {operator && <Part name={t('frame.operatorPart')} entries={listed('operator')} />}
        <Part name={t('frame.settingsPart')} entries={listed('settings')} />
      </nav>
      <div className={classes['foot']}>
        <UserMenu />
      </div>
    </div>
  );
}

function Part({ name, entries }: { readonly name?: string; readonly entries: readonly PageEntry[] }) {
  const { t } = useText();
  if (entries.length === 0) return null;
  return (
    <>
      {name && <span className={classes['partName']}>{name}</span>}
      <ul className={classes['part']} aria-label={name}>
        {entries.map(({ path, title, icon: Icon }) => (
          <li key={path}>
            <Link to={path} className={classes['link']} activeOptions={{ includeSearch: false }}>
              {Icon && <Icon />}
              {t(title)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Brand() {
  const { site } = useSite();
  return (
    <>
      <img src="/favicon.svg" width={28} height={28} alt="" />
      <Text fw={620} fz={15} truncate>
        {site.title}
      </Text>
    </>
  );
}

/** Shows the chosen account and switches to another. Renders nothing without an account. */
function AccountSwitch() {
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
