import { ActionIcon, Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAccountChoice } from '../api/account.tsx';
import { useSession, useSite } from '../api/session.ts';
import { CheckIcon, ChooseIcon, CloseIcon } from '../icons.tsx';
import type { PageEntry } from '../routes.tsx';
import { useText } from '../text/text.tsx';
import { lastPageOf, type Mode, useMode, usePageGroups } from './mode.ts';
import classes from './navigation.module.css';
import { PaletteButton } from './palette/palette-button.tsx';
import { useUnhealthyUpstreams } from './unhealthy-upstreams.ts';
import { UserMenu } from './user-menu.tsx';

export interface NavigationProps {
  readonly onClose?: () => void;
  readonly onSearch: () => void;
}

/** Links to the pages of one mode, and a switch to the other mode if this user has both. */
export function Navigation({ onClose, onSearch }: NavigationProps) {
  const { t } = useText();
  const { mode, modes } = useMode();
  const groups = usePageGroups(mode);
  const unhealthy = useUnhealthyUpstreams(mode === 'operator');
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
      {modes.length > 1 && <ModeSwitch mode={mode} modes={modes} />}
      {mode === 'account' && <AccountSwitch />}
      <PaletteButton onOpen={onSearch} />
      <nav className={classes['links']} aria-label={t('frame.navigation')}>
        {[...groups].map(([group, entries]) => (
          <PageGroup
            key={group}
            name={group === 'home' ? undefined : t(`nav.group_${group}`)}
            entries={entries}
            counts={{ '/app/operator/upstreams': unhealthy }}
          />
        ))}
      </nav>
      <div className={classes['foot']}>
        <UserMenu />
      </div>
    </div>
  );
}

/** Leads to the page of each mode that was open last. */
function ModeSwitch({ mode, modes }: { readonly mode: Mode; readonly modes: readonly Mode[] }) {
  const { t } = useText();
  return (
    <div role="group" aria-label={t('frame.mode')} className={classes['modes']}>
      {modes.map((each) => (
        <Link
          key={each}
          to={each === mode ? '.' : lastPageOf(each)}
          className={classes['mode']}
          data-chosen={each === mode || undefined}
          aria-current={each === mode ? 'true' : undefined}
        >
          {t(`frame.mode_${each}`)}
        </Link>
      ))}
    </div>
  );
}

interface PageGroupProps {
  readonly name: string | undefined;
  readonly entries: readonly PageEntry[];
  /** By path: how many things on the page need attention. */
  readonly counts: Readonly<Record<string, number>>;
}

function PageGroup({ name, entries, counts }: PageGroupProps) {
  const { t } = useText();
  return (
    <>
      {name && <span className={classes['partName']}>{name}</span>}
      <ul className={classes['part']} aria-label={name}>
        {entries.map(({ path, title, nav }) => (
          <li key={path}>
            <Link to={path} className={classes['link']} activeOptions={{ includeSearch: false }}>
              {nav && <nav.icon />}
              {t(title)}
              <Count of={counts[path] ?? 0} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Count({ of: count }: { readonly of: number }) {
  const { t } = useText();
  if (count === 0) return null;
  const label = t('frame.unhealthy', { count });
  return (
    <span className={classes['count']} title={label}>
      <span aria-hidden>{count}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  );
}

/** The sign and the name of the site. The drawing is the one of `favicon.svg`, without a request. */
export function Brand() {
  const { site } = useSite();
  return (
    <>
      <svg width={28} height={28} viewBox="0 0 32 32" aria-hidden focusable="false" className={classes['sign']}>
        <rect width="32" height="32" rx="8" fill="#0f766e" />
        <g fill="none" strokeWidth="2.6" strokeLinecap="round">
          <path d="M9 21V13a5 5 0 0 1 5-5h4a5 5 0 0 1 5 5v8" stroke="#fff" />
          <path d="M16 14v10" stroke="#99f6e4" />
        </g>
      </svg>
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
