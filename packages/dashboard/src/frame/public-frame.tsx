import { ActionIcon, Group, Menu } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { DeviceIcon, LanguageIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import { useCurrentPage } from './current-page.ts';
import { Brand } from './navigation.tsx';
import { PageLoading } from './page-loading.tsx';
import classes from './public-frame.module.css';
import { LanguageItems, SchemeItems } from './user-menu.tsx';

/** The frame of the pages without a session: one card in the middle. */
export function PublicFrame() {
  return (
    <Suspense fallback={null}>
      <PublicLayout />
    </Suspense>
  );
}

function PublicLayout() {
  const { t } = useText();
  useCurrentPage();
  return (
    <div className={classes['front']}>
      <header className={classes['head']}>
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Brand />
        </Group>
        <Group gap={4}>
          <Choice label={t('frame.scheme')} icon={<DeviceIcon />}>
            <SchemeItems />
          </Choice>
          <Choice label={t('frame.language')} icon={<LanguageIcon />}>
            <LanguageItems />
          </Choice>
        </Group>
      </header>
      <main className={classes['middle']}>
        <div className={classes['card']}>
          <Suspense fallback={<PageLoading />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
    </div>
  );
}

function Choice(props: { readonly label: string; readonly icon: React.ReactNode; readonly children: React.ReactNode }) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={40} aria-label={props.label}>
          {props.icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{props.children}</Menu.Dropdown>
    </Menu>
  );
}
