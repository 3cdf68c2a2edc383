import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMayOperate, useSession } from '../../api/session.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import classes from './people.module.css';

const tabs = [
  { path: '/app/operator/people', name: 'people.tabPeople', least: 'read-only' },
  { path: '/app/operator/people/operators', name: 'people.tabOperators', least: 'owner' },
  { path: '/app/operator/people/links', name: 'people.tabLinks', least: 'operator' },
  { path: '/app/operator/people/tokens', name: 'people.tabTokens', least: 'owner' },
] as const;

interface PeopleFrameProps {
  readonly path: (typeof tabs)[number]['path'];
  readonly text: FixedTextKey;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The header and tabs that the pages about people share. */
export function PeopleFrame({ path, text, actions, children }: PeopleFrameProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const isOwner = useSession().operator === 'owner';
  const shown = tabs.filter(({ least }) => least === 'read-only' || (least === 'owner' ? isOwner : mayOperate));
  return (
    <>
      <PageHeader title={t('nav.people')} description={t(text)} actions={actions} />
      <Tabs value={path} onChange={(chosen) => chosen && void navigate({ to: chosen })} keepMounted={false}>
        <Tabs.List mb="md" className={classes['tabs'] ?? ''}>
          {shown.map(({ path: to, name }) => (
            <Tabs.Tab key={to} value={to}>
              {t(name)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={path}>{children}</Tabs.Panel>
      </Tabs>
    </>
  );
}
