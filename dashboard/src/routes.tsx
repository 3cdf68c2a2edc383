import type { ComponentType } from 'react';
import * as icons from './icons.tsx';
import type { FixedTextKey } from './text/text.tsx';

/** One page: its path, title, group in the navigation, and the file that renders it. */
export interface PageEntry {
  /** Below `/app`, at most three segments. `$id` matches one segment. */
  readonly path: string;
  readonly title: FixedTextKey;
  /** `public`: all visitors. `account`: members of an account. `settings`: signed-in users. `operator`: operators. */
  readonly part: 'public' | 'account' | 'settings' | 'operator';
  /** Listed only for owners of the chosen account. */
  readonly isForOwners?: true;
  /** Only pages with an icon are listed in the navigation. */
  readonly icon?: ComponentType<icons.IconProps>;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** The page for operators, in a file that also has the page of an account. */
const operatorPage = ({ OperatorPage }: { readonly OperatorPage: ComponentType }) => ({ default: OperatorPage });

/** Every page, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/app/overview',
    title: 'nav.overview',
    part: 'account',
    icon: icons.OverviewIcon,
    load: () => import('./pages/overview/page.tsx'),
  },
  {
    path: '/app/keys',
    title: 'nav.keys',
    part: 'account',
    icon: icons.KeyIcon,
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    path: '/app/models',
    title: 'nav.models',
    part: 'account',
    icon: icons.ModelsIcon,
    load: () => import('./pages/models/page.tsx'),
  },
  { path: '/app/models/$id', title: 'nav.model', part: 'account', load: () => import('./pages/model/page.tsx') },
  {
    path: '/app/playground',
    title: 'nav.playground',
    part: 'account',
    icon: icons.PlaygroundIcon,
    load: () => import('./pages/playground/page.tsx'),
  },
  {
    path: '/app/requests',
    title: 'nav.requests',
    part: 'account',
    icon: icons.RequestsIcon,
    load: () => import('./pages/requests/page.tsx'),
  },
  { path: '/app/requests/$id', title: 'nav.request', part: 'account', load: () => import('./pages/request/page.tsx') },
  {
    path: '/app/usage',
    title: 'nav.usage',
    part: 'account',
    icon: icons.UsageIcon,
    load: () => import('./pages/usage/page.tsx'),
  },
  {
    path: '/app/billing',
    title: 'nav.billing',
    part: 'account',
    icon: icons.BillingIcon,
    load: () => import('./pages/billing/page.tsx'),
  },
  {
    path: '/app/alerts',
    title: 'nav.alerts',
    part: 'account',
    icon: icons.AlertsIcon,
    load: () => import('./pages/alerts/page.tsx'),
  },
  {
    path: '/app/billing/$id',
    title: 'billing.statement',
    part: 'account',
    load: () => import('./pages/statement/page.tsx'),
  },

  {
    path: '/app/operator/overview',
    title: 'nav.business',
    part: 'operator',
    icon: icons.OverviewIcon,
    load: () => import('./pages/operator-overview/page.tsx'),
  },
  {
    path: '/app/operator/live',
    title: 'nav.live',
    part: 'operator',
    icon: icons.LiveIcon,
    load: () => import('./pages/live/page.tsx'),
  },
  {
    path: '/app/operator/requests',
    title: 'nav.requests',
    part: 'operator',
    icon: icons.RequestsIcon,
    load: () => import('./pages/requests/page.tsx').then(operatorPage),
  },
  {
    path: '/app/operator/requests/$id',
    title: 'nav.request',
    part: 'operator',
    load: () => import('./pages/request/page.tsx').then(operatorPage),
  },
  {
    path: '/app/operator/usage',
    title: 'nav.usage',
    part: 'operator',
    icon: icons.UsageIcon,
    load: () => import('./pages/usage/page.tsx').then(operatorPage),
  },
  {
    path: '/app/operator/upstreams',
    title: 'nav.upstreams',
    part: 'operator',
    icon: icons.UpstreamsIcon,
    load: () => import('./pages/upstreams/page.tsx'),
  },
  {
    path: '/app/operator/upstreams/$id',
    title: 'upstreams.one',
    part: 'operator',
    load: () => import('./pages/upstream/page.tsx'),
  },
  {
    path: '/app/operator/models',
    title: 'nav.routes',
    part: 'operator',
    icon: icons.RoutesIcon,
    load: () => import('./pages/routes/page.tsx'),
  },
  {
    path: '/app/operator/models/$id',
    title: 'routes.one',
    part: 'operator',
    load: () => import('./pages/operator-model/page.tsx'),
  },
  {
    path: '/app/operator/sites',
    title: 'nav.sites',
    part: 'operator',
    icon: icons.SitesIcon,
    load: () => import('./pages/sites/page.tsx'),
  },
  {
    path: '/app/operator/packages',
    title: 'nav.packages',
    part: 'operator',
    icon: icons.PackagesIcon,
    load: () => import('./pages/packages/page.tsx'),
  },
  {
    path: '/app/operator/accounts',
    title: 'nav.accounts',
    part: 'operator',
    icon: icons.AccountsIcon,
    load: () => import('./pages/accounts/page.tsx'),
  },
  {
    path: '/app/operator/accounts/$id',
    title: 'accounts.one',
    part: 'operator',
    load: () => import('./pages/account/page.tsx'),
  },
  {
    path: '/app/operator/codes',
    title: 'nav.codes',
    part: 'operator',
    icon: icons.CodesIcon,
    load: () => import('./pages/codes/page.tsx'),
  },
  {
    path: '/app/operator/codes/$id',
    title: 'codes.one',
    part: 'operator',
    load: () => import('./pages/code-batch/page.tsx'),
  },
  {
    path: '/app/operator/people',
    title: 'nav.people',
    part: 'operator',
    icon: icons.MembersIcon,
    load: () => import('./pages/people/page.tsx'),
  },
  {
    path: '/app/operator/people/operators',
    title: 'people.tabOperators',
    part: 'operator',
    load: () => import('./pages/people/operators-page.tsx'),
  },
  {
    path: '/app/operator/people/links',
    title: 'people.tabLinks',
    part: 'operator',
    load: () => import('./pages/people/links-page.tsx'),
  },
  {
    path: '/app/operator/people/tokens',
    title: 'people.tabTokens',
    part: 'operator',
    load: () => import('./pages/people/tokens-page.tsx'),
  },
  {
    path: '/app/operator/alerts',
    title: 'nav.alerts',
    part: 'operator',
    icon: icons.AlertsIcon,
    load: () => import('./pages/alerts/operator-page.tsx'),
  },
  {
    path: '/app/operator/audit',
    title: 'nav.audit',
    part: 'operator',
    icon: icons.AuditIcon,
    load: () => import('./pages/audit/page.tsx').then(operatorPage),
  },
  {
    path: '/app/operator/system',
    title: 'nav.system',
    part: 'operator',
    icon: icons.SystemIcon,
    load: () => import('./pages/system/page.tsx'),
  },

  {
    path: '/app/settings/profile',
    title: 'nav.profile',
    part: 'settings',
    icon: icons.ProfileIcon,
    load: () => import('./pages/profile/page.tsx'),
  },
  {
    path: '/app/settings/security',
    title: 'nav.security',
    part: 'settings',
    icon: icons.SecurityIcon,
    load: () => import('./pages/security/page.tsx'),
  },
  {
    path: '/app/settings/members',
    title: 'nav.members',
    part: 'settings',
    icon: icons.MembersIcon,
    load: () => import('./pages/members/page.tsx'),
  },
  {
    path: '/app/settings/audit',
    title: 'nav.audit',
    part: 'settings',
    isForOwners: true,
    icon: icons.AuditIcon,
    load: () => import('./pages/audit/page.tsx'),
  },

  { path: '/app/sign-in', title: 'nav.signIn', part: 'public', load: () => import('./pages/sign-in/page.tsx') },
  { path: '/app/sign-up', title: 'nav.signUp', part: 'public', load: () => import('./pages/sign-up/page.tsx') },
  { path: '/app/setup', title: 'nav.setup', part: 'public', load: () => import('./pages/setup/page.tsx') },
  {
    path: '/app/invite',
    title: 'nav.invitation',
    part: 'public',
    load: () => import('./pages/invite/page.tsx'),
  },
  { path: '/app/confirm', title: 'nav.confirm', part: 'public', load: () => import('./pages/confirm/page.tsx') },
  { path: '/app/reset', title: 'nav.reset', part: 'public', load: () => import('./pages/reset/page.tsx') },
];
