import { ActionIcon, Drawer, Group, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useMatches, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { AccountProvider, useAccountChoice } from '../api/account.tsx';
import { searchOf } from '../api/call.ts';
import { useLanguageStoredOnce } from '../api/language.ts';
import { type Session, sessionQuery, useSession, useSite } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { operatorRoleName, roleName } from '../components/roles.ts';
import { MenuIcon } from '../icons.tsx';
import { notifyChange } from '../text/notify.ts';
import { type Translate, useText } from '../text/text.tsx';
import { AccountBanner, ViewingBanner } from './account-banner.tsx';
import { useCurrentPage } from './current-page.ts';
import classes from './frame.module.css';
import { useMode } from './mode.ts';
import { Brand, Navigation } from './navigation.tsx';
import { FrameLoading, PageLoading } from './page-loading.tsx';
import { loadPalette, usePalette } from './palette/palette-button.tsx';
import { Redirect } from './redirect.tsx';

/**
 * The frame of all pages that need a session. Without one, redirects to the sign-in page and back afterwards. If a
 * session ends, the user signs in again over the page.
 */
export function SignedInFrame() {
  return (
    <Suspense fallback={<FrameLoading />}>
      <SessionGate />
    </Suspense>
  );
}

const loadSignInAgain = () => import('./sign-in-again.tsx');
const SignInAgain = lazy(loadSignInAgain);

/**
 * Dialogs over a page are not part of the first load; they load at the first pointer or key event. Later there may be
 * no network, or the files of another version, and a page that breaks would lose typed text.
 */
function usePreloadedDialogs(): void {
  useEffect(() => {
    const listeners = new AbortController();
    const load = () => {
      listeners.abort();
      void Promise.allSettled([loadSignInAgain(), loadPalette()]);
    };
    for (const event of ['pointermove', 'pointerdown', 'keydown'])
      addEventListener(event, load, { signal: listeners.signal });
    return () => listeners.abort();
  }, []);
}

function SessionGate() {
  const site = useSite();
  const isOtherUser = useIsOtherUser(site.user?.id);
  if (!site.user) return <ToSignIn />;
  if (isOtherUser) return <FrameLoading />;
  return (
    <AccountProvider>
      <Frame />
      {'hasEnded' in site && <SessionEnded />}
    </AccountProvider>
  );
}

/**
 * If another user signs in, here or in another tab, reloads the page: nothing read or typed by one user may reach
 * another.
 */
function useIsOtherUser(userId: string | undefined): boolean {
  const [first] = useState(userId);
  const isOtherUser = first !== undefined && userId !== undefined && userId !== first;
  useEffect(() => {
    if (isOtherUser) location.reload();
  }, [isOtherUser]);
  return isOtherUser;
}

/** Covers the page until the user has signed in again. Then everything that was refused meanwhile is read again. */
function SessionEnded() {
  const client = useQueryClient();
  useEffect(() => () => void client.invalidateQueries(), [client]);
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}

/** Keeps the first address: the location changes while this component is still mounted. */
function ToSignIn() {
  const router = useRouter();
  const [{ href }] = useState(router.state.location);
  return <Redirect to={`/app/sign-in${searchOf({ next: href })}`} />;
}

function Frame() {
  const { t } = useText();
  useLanguageStoredOnce();
  usePreloadedDialogs();
  useRoleNotifications();
  const [isOpen, menu] = useDisclosure(false);
  const { open: search, palette } = usePalette();
  const { pathname } = useLocation();
  const { mode } = useMode();
  const { close } = menu;
  useEffect(close, [pathname, close]);
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        {t('frame.skip')}
      </a>
      <PhoneBar onOpen={menu.open} />
      <header className={classes['side']}>
        <Navigation onSearch={search} />
      </header>
      <Drawer.Root opened={isOpen} onClose={menu.close} size={288} padding={0}>
        <Drawer.Overlay />
        <Drawer.Content aria-label={t('frame.navigation')}>
          <Navigation
            onClose={menu.close}
            onSearch={() => {
              menu.close();
              search();
            }}
          />
        </Drawer.Content>
      </Drawer.Root>
      {palette}
      <PageAnnouncement />
      <main id="content" tabIndex={-1} className={classes['main']}>
        <div className={classes['banners']}>
          <ViewingBanner />
          {mode === 'account' && <AccountBanner />}
        </div>
        <div className={classes['page']}>
          <Suspense fallback={<PageLoading />}>
            <Allowed />
          </Suspense>
        </div>
      </main>
    </div>
  );
}

/** Tells screen readers the name of each page after the first one, also if its heading is still loading. */
function PageAnnouncement() {
  const { t } = useText();
  const page = useMatches().at(-1)?.staticData.page;
  const [first] = useState(page);
  const [hasMoved, setMoved] = useState(false);
  if (page !== first && !hasMoved) setMoved(true);
  return <VisuallyHidden aria-live="polite">{hasMoved && page && t(page.title)}</VisuallyHidden>;
}

/** The page, or the reason why this user cannot see it. */
function Allowed() {
  const { t } = useText();
  const { operator } = useSession();
  const { account } = useAccountChoice();
  const page = useCurrentPage();
  if (page?.part === 'operator' && !operator) {
    return <EmptyState title={t('frame.forbiddenTitle')} text={t('frame.forbiddenText')} />;
  }
  if (page?.part === 'account' && !account) {
    if (operator && page.path === '/app/overview') return <Redirect to="/app/operator/live" />;
    return (
      <EmptyState
        title={t('frame.noAccountTitle')}
        text={t(operator ? 'frame.noAccountOperatorText' : 'frame.noAccountText')}
      />
    );
  }
  return <Outlet key={account?.id} />;
}

type Roles = Pick<Session, 'accounts' | 'operator'>;

/**
 * Notifies the user when their role changes while the page is open, because buttons and forms appear or disappear with
 * it. Reads everything again that the old role could read or not.
 */
function useRoleNotifications(): void {
  const { t } = useText();
  const client = useQueryClient();
  const { accounts, operator } = useSession();
  const before = useRef<Roles>({ accounts, operator });
  useEffect(() => {
    const messages = roleMessages(before.current, { accounts, operator }, t);
    before.current = { accounts, operator };
    if (messages.length === 0) return;
    for (const message of messages) notifyChange(message);
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }, [accounts, operator, client, t]);
}

/** One message per changed role. A user who joins an account gets none: they already know. */
function roleMessages(before: Roles, now: Roles, t: Translate): readonly string[] {
  const ofAccounts = before.accounts.flatMap(({ id, name, role }) => {
    const own = now.accounts.find((account) => account.id === id);
    if (!own) return [t('frame.roleGone', { name })];
    return own.role === role ? [] : [t('frame.roleNow', { name: own.name, role: t(roleName(own.role)) })];
  });
  if (now.operator === before.operator) return ofAccounts;
  const ofOperator = now.operator
    ? t('frame.operatorNow', { role: t(operatorRoleName(now.operator)) })
    : t('frame.operatorGone');
  return [...ofAccounts, ofOperator];
}

/** The bar that replaces the side navigation on narrow screens. */
function PhoneBar({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useText();
  return (
    <header className={classes['phoneBar']}>
      <ActionIcon variant="subtle" color="gray" size={44} aria-label={t('frame.openMenu')} onClick={onOpen}>
        <MenuIcon size={22} />
      </ActionIcon>
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Brand />
      </Group>
    </header>
  );
}
