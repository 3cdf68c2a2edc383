import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { useSession } from '../api/session.ts';
import {
  CheckIcon,
  ChooseIcon,
  DeviceIcon,
  FileIcon,
  LanguageIcon,
  MoonIcon,
  ProfileIcon,
  SecurityIcon,
  SignOutIcon,
  SunIcon,
} from '../icons.tsx';
import { useLanguageChoice } from '../api/language.ts';
import { useErrorText } from '../text/error-text.ts';
import { notifyFailure } from '../text/notify.ts';
import { useText } from '../text/text.tsx';
import classes from './navigation.module.css';

/** The signed-in user, colour scheme, language, and sign-out. */
export function UserMenu() {
  const { t } = useText();
  const { user, version } = useSession();
  const textOf = useErrorText();
  return (
    <Menu width={224} position="top-start">
      <Menu.Target>
        <UnstyledButton className={classes['chooser']}>
          <VisuallyHidden>{t('frame.userMenu')}</VisuallyHidden>
          <Avatar size={28} radius="xl" color="accent" aria-hidden>
            {user.name.slice(0, 1).toUpperCase()}
          </Avatar>
          <span className={classes['chooserText']}>
            <Text span fz="sm" fw={560}>
              {user.name}
            </Text>
            <Text span fz="xs" c="dimmed">
              {user.email}
            </Text>
          </span>
          <ChooseIcon size={16} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <PageItem to="/app/settings/profile" icon={<ProfileIcon size={16} />} label={t('nav.profile')} />
        <PageItem to="/app/settings/security" icon={<SecurityIcon size={16} />} label={t('nav.security')} />
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <LanguageItems />
        <Menu.Divider />
        <Menu.Item leftSection={<FileIcon size={16} />} component="a" href="/docs" target="_blank" rel="noreferrer">
          {t('frame.docs')}
        </Menu.Item>
        <Menu.Item
          leftSection={<SignOutIcon size={16} />}
          onClick={() => void signOut((error) => notifyFailure(t('common.errorTitle'), textOf(error)))}
        >
          {t('frame.signOut')}
        </Menu.Item>
        <Menu.Label>{t('frame.version', { version })}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

interface PageItemProps {
  readonly to: string;
  readonly icon: ReactNode;
  readonly label: string;
}

function PageItem({ to, icon, label }: PageItemProps) {
  return (
    <Menu.Item leftSection={icon} renderRoot={(root) => <Link {...root} to={to} />}>
      {label}
    </Menu.Item>
  );
}

export function SchemeItems() {
  const { t } = useText();
  // By default the library disables transitions with a style element, which the content security policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const choices = [
    { scheme: 'light', label: t('frame.schemeLight'), Icon: SunIcon },
    { scheme: 'dark', label: t('frame.schemeDark'), Icon: MoonIcon },
    { scheme: 'auto', label: t('frame.schemeAuto'), Icon: DeviceIcon },
  ] as const;
  return (
    <>
      <Menu.Label>{t('frame.scheme')}</Menu.Label>
      {choices.map(({ scheme, label, Icon }) => (
        <Menu.Item
          key={scheme}
          closeMenuOnClick={false}
          leftSection={<Icon size={16} />}
          rightSection={scheme === colorScheme ? <CheckIcon size={16} /> : undefined}
          onClick={() => setColorScheme(scheme)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}

export function LanguageItems() {
  const { t, language } = useText();
  const setLanguage = useLanguageChoice();
  const choices = [
    ['en', 'English'],
    ['zh', '中文'],
  ] as const;
  return (
    <>
      <Menu.Label>{t('frame.language')}</Menu.Label>
      {choices.map(([code, label]) => (
        <Menu.Item
          key={code}
          lang={code}
          closeMenuOnClick={false}
          leftSection={<LanguageIcon size={16} />}
          rightSection={code === language ? <CheckIcon size={16} /> : undefined}
          onClick={() => setLanguage(code)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}

/** Ends the session and reloads the page: nothing that one user has read may be shown to the next. */
async function signOut(onFailure: (error: ApiError) => void): Promise<void> {
  try {
    await call('/auth/sign-out', { method: 'POST' });
  } catch (error) {
    // If sign-out failed, the user must not believe that the session is over.
    if (error instanceof ApiError && error.status !== 401) return onFailure(error);
  }
  sessionStorage.clear();
  location.assign('/app/sign-in');
}
