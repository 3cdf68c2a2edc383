import { ActionIcon } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAccountChoice } from '../api/account.tsx';
import { useSession } from '../api/session.ts';
import { CloseIcon } from '../icons.tsx';
import { type PageEntry, pages } from '../routes.tsx';
import { useText } from '../text/text.tsx';
import { AccountSwitch } from './account-switch.tsx';
import { Brand } from './brand.tsx';
import classes from './navigation.module.css';
import { PaletteButton } from './palette/palette-door.tsx';
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
