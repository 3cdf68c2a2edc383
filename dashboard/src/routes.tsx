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

const pageOf =
  (part: PageEntry['part']) =>
  (path: string, title: FixedTextKey, load: PageEntry['load'], icon?: PageEntry['icon']): PageEntry => ({
    path,
    title,
    part,
    load,
    ...(icon && { icon }),
  });

const forVisitors = pageOf('public');
const forMembers = pageOf('account');
const forUsers = pageOf('settings');
const forOperators = pageOf('operator');

/** Every page, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  forMembers('/app/overview', 'nav.overview', () => import('./pages/overview/page.tsx'), icons.OverviewIcon),
  forMembers('/app/keys', 'nav.keys', () => import('./pages/keys/page.tsx'), icons.KeyIcon),
  forMembers('/app/models', 'nav.models', () => import('./pages/models/page.tsx'), icons.ModelsIcon),
  forMembers('/app/models/$id', 'nav.model', () => import('./pages/model/page.tsx')),
  forMembers('/app/playground', 'nav.playground', () => import('./pages/playground/page.tsx'), icons.PlaygroundIcon),
  forMembers('/app/requests', 'nav.requests', () => import('./pages/requests/page.tsx'), icons.RequestsIcon),
  forMembers('/app/requests/$id', 'nav.request', () => import('./pages/request/page.tsx')),
  forMembers('/app/usage', 'nav.usage', () => import('./pages/usage/page.tsx'), icons.UsageIcon),
  forMembers('/app/billing', 'nav.billing', () => import('./pages/billing/page.tsx'), icons.BillingIcon),
  forMembers('/app/alerts', 'nav.budgets', () => import('./pages/alerts/page.tsx'), icons.AlertsIcon),
  forMembers('/app/billing/$id', 'billing.statement', () => import('./pages/statement/page.tsx')),
  forOperators(
    '/app/operator/overview',
    'nav.business',
    () => import('./pages/operator-overview/page.tsx'),
    icons.OverviewIcon,
  ),
  forOperators('/app/operator/live', 'nav.live', () => import('./pages/live/page.tsx'), icons.LiveIcon),
  forOperators(
    '/app/operator/requests',
    'nav.requests',
    () => import('./pages/requests/page.tsx').then(operatorPage),
    icons.RequestsIcon,
  ),
  forOperators('/app/operator/requests/$id', 'nav.request', () =>
    import('./pages/request/page.tsx').then(operatorPage),
  ),
  forOperators(
    '/app/operator/usage',
    'nav.usage',
    () => import('./pages/usage/page.tsx').then(operatorPage),
    icons.UsageIcon,
  ),
  forOperators(
    '/app/operator/reconciliation',
    'nav.reconciliation',
    () => import('./pages/reconciliation/page.tsx'),
    icons.ReconciliationIcon,
  ),
  forOperators(
    '/app/operator/upstreams',
    'nav.upstreams',
    () => import('./pages/upstreams/page.tsx'),
    icons.UpstreamsIcon,
  ),
  forOperators('/app/operator/upstreams/$id', 'upstreams.one', () => import('./pages/upstream/page.tsx')),
  forOperators('/app/operator/models', 'nav.routes', () => import('./pages/routes/page.tsx'), icons.RoutesIcon),
  forOperators('/app/operator/models/$id', 'routes.one', () => import('./pages/operator-model/page.tsx')),
  forOperators('/app/operator/sites', 'nav.sites', () => import('./pages/sites/page.tsx'), icons.SitesIcon),
  forOperators('/app/operator/packages', 'nav.packages', () => import('./pages/packages/page.tsx'), icons.PackagesIcon),
  forOperators('/app/operator/accounts', 'nav.accounts', () => import('./pages/accounts/page.tsx'), icons.AccountsIcon),
  forOperators('/app/operator/accounts/$id', 'accounts.one', () => import('./pages/account/page.tsx')),
  forOperators('/app/operator/codes', 'nav.codes', () => import('./pages/codes/page.tsx'), icons.CodesIcon),
  forOperators('/app/operator/codes/$id', 'codes.one', () => import('./pages/code-batch/page.tsx')),
  forOperators('/app/operator/people', 'nav.people', () => import('./pages/people/page.tsx'), icons.MembersIcon),
  forOperators(
    '/app/operator/people/operators',
    'people.tabOperators',
    () => import('./pages/people/operators-page.tsx'),
  ),
  forOperators('/app/operator/people/links', 'people.tabLinks', () => import('./pages/people/links-page.tsx')),
  forOperators('/app/operator/people/tokens', 'people.tabTokens', () => import('./pages/people/tokens-page.tsx')),
  forOperators(
    '/app/operator/alerts',
    'nav.alerts',
    () => import('./pages/alerts/operator-page.tsx'),
    icons.AlertsIcon,
  ),
  forOperators(
    '/app/operator/audit',
    'nav.audit',
    () => import('./pages/audit/page.tsx').then(operatorPage),
    icons.AuditIcon,
  ),
  forOperators('/app/operator/system', 'nav.system', () => import('./pages/system/page.tsx'), icons.SystemIcon),
  forUsers('/app/settings/profile', 'nav.profile', () => import('./pages/profile/page.tsx'), icons.ProfileIcon),
  forUsers('/app/settings/security', 'nav.security', () => import('./pages/security/page.tsx'), icons.SecurityIcon),
  forUsers('/app/settings/members', 'nav.members', () => import('./pages/members/page.tsx'), icons.MembersIcon),
  {
    ...forUsers('/app/settings/audit', 'nav.audit', () => import('./pages/audit/page.tsx'), icons.AuditIcon),
    isForOwners: true,
  },
  forVisitors('/app/sign-in', 'nav.signIn', () => import('./pages/sign-in/page.tsx')),
  forVisitors('/app/sign-up', 'nav.signUp', () => import('./pages/sign-up/page.tsx')),
  forVisitors('/app/setup', 'nav.setup', () => import('./pages/setup/page.tsx')),
  forVisitors('/app/invite', 'nav.invitation', () => import('./pages/invite/page.tsx')),
  forVisitors('/app/confirm', 'nav.confirm', () => import('./pages/confirm/page.tsx')),
  forVisitors('/app/reset', 'nav.reset', () => import('./pages/reset/page.tsx')),
];
