import type { ComponentType } from 'react';
import * as icons from './icons.tsx';
import OverviewPage from './pages/overview/page.tsx';
import type { FixedTextKey } from './text/text.tsx';

/** A heading in the navigation. Pages of `home` have none. */
type PageGroup = 'home' | 'build' | 'observe' | 'money' | 'settings' | 'traffic' | 'supply' | 'customers' | 'system';

/** One page: its path, title, group in the navigation, and the file that renders it. */
export interface PageEntry {
  /** Below `/app`, at most three segments. `$id` matches one segment. */
  readonly path: string;
  /** No other page has this title. */
  readonly title: FixedTextKey;
  /** `public`: all visitors. `account`: members of an account. `settings`: signed-in users. `operator`: operators. */
  readonly part: 'public' | 'account' | 'settings' | 'operator';
  /** Listed only for owners of the chosen account. */
  readonly isForOwners?: true;
  /** Listed only for members of an organisation. */
  readonly isForOrganisations?: true;
  /** Only pages with this are listed in the navigation. */
  readonly nav?: { readonly group: PageGroup; readonly icon: ComponentType<icons.IconProps> };
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** The page for operators, in a file that also has the page of an account. */
const operatorPage = ({ OperatorPage }: { readonly OperatorPage: ComponentType }) => ({ default: OperatorPage });

const pageOf =
  (part: PageEntry['part'], group?: PageGroup) =>
  (path: string, title: FixedTextKey, load: PageEntry['load'], icon?: ComponentType<icons.IconProps>): PageEntry => ({
    path,
    title,
    part,
    load,
    ...(icon && group && { nav: { group, icon } }),
  });

const forVisitors = pageOf('public');
const home = pageOf('account', 'home');
const build = pageOf('account', 'build');
const observe = pageOf('account', 'observe');
const money = pageOf('account', 'money');
const settings = pageOf('settings', 'settings');
const operatorHome = pageOf('operator', 'home');
const traffic = pageOf('operator', 'traffic');
const supply = pageOf('operator', 'supply');
const customers = pageOf('operator', 'customers');
const operatorMoney = pageOf('operator', 'money');
const system = pageOf('operator', 'system');

/** Every page, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  // The page after the sign-in. A file of its own would cost its first load a request.
  home('/app/overview', 'nav.overview', async () => ({ default: OverviewPage }), icons.OverviewIcon),
  build('/app/keys', 'nav.keys', () => import('./pages/keys/page.tsx'), icons.KeyIcon),
  build('/app/models', 'nav.models', () => import('./pages/models/page.tsx'), icons.ModelsIcon),
  build('/app/models/$id', 'nav.model', () => import('./pages/model/page.tsx')),
  build('/app/playground', 'nav.playground', () => import('./pages/playground/page.tsx'), icons.PlaygroundIcon),
  observe('/app/requests', 'nav.requests', () => import('./pages/requests/page.tsx'), icons.RequestsIcon),
  observe('/app/requests/$id', 'nav.request', () => import('./pages/request/page.tsx')),
  observe('/app/batches', 'nav.batches', () => import('./pages/batches/page.tsx'), icons.BatchesIcon),
  observe('/app/batches/$id', 'nav.batch', () => import('./pages/batch/page.tsx')),
  observe('/app/usage', 'nav.usage', () => import('./pages/usage/page.tsx'), icons.UsageIcon),
  observe('/app/alerts', 'nav.budgets', () => import('./pages/alerts/page.tsx'), icons.AlertsIcon),
  {
    ...money(
      '/app/organisation',
      'nav.ownOrganisation',
      () => import('./pages/own-organisation/page.tsx'),
      icons.OrganisationsIcon,
    ),
    isForOrganisations: true,
  },
  money('/app/organisation/$id', 'nav.organisationBill', () => import('./pages/own-organisation/bill-page.tsx')),
  money('/app/billing', 'nav.billing', () => import('./pages/billing/page.tsx'), icons.BillingIcon),
  money('/app/billing/$id', 'billing.statement', () => import('./pages/statement/page.tsx')),
  operatorHome(
    '/app/operator/overview',
    'nav.business',
    () => import('./pages/operator-overview/page.tsx'),
    icons.OverviewIcon,
  ),
  traffic('/app/operator/live', 'nav.live', () => import('./pages/live/page.tsx'), icons.LiveIcon),
  traffic(
    '/app/operator/requests',
    'nav.allRequests',
    () => import('./pages/requests/page.tsx').then(operatorPage),
    icons.RequestsIcon,
  ),
  traffic('/app/operator/requests/$id', 'nav.anyRequest', () => import('./pages/request/page.tsx').then(operatorPage)),
  traffic(
    '/app/operator/batches',
    'nav.allBatches',
    () => import('./pages/batches/page.tsx').then(operatorPage),
    icons.BatchesIcon,
  ),
  traffic('/app/operator/batches/$id', 'nav.anyBatch', () => import('./pages/batch/page.tsx').then(operatorPage)),
  traffic(
    '/app/operator/usage',
    'nav.allUsage',
    () => import('./pages/usage/page.tsx').then(operatorPage),
    icons.UsageIcon,
  ),
  supply('/app/operator/upstreams', 'nav.upstreams', () => import('./pages/upstreams/page.tsx'), icons.UpstreamsIcon),
  supply('/app/operator/upstreams/$id', 'nav.upstream', () => import('./pages/upstream/page.tsx')),
  supply('/app/operator/models', 'nav.routes', () => import('./pages/routes/page.tsx'), icons.RoutesIcon),
  supply('/app/operator/models/$id', 'nav.route', () => import('./pages/operator-model/page.tsx')),
  supply('/app/operator/sites', 'nav.sites', () => import('./pages/sites/page.tsx'), icons.SitesIcon),
  customers('/app/operator/accounts', 'nav.accounts', () => import('./pages/accounts/page.tsx'), icons.AccountsIcon),
  customers('/app/operator/accounts/$id', 'nav.account', () => import('./pages/account/page.tsx')),
  customers(
    '/app/operator/organisations',
    'nav.organisations',
    () => import('./pages/organisations/page.tsx'),
    icons.OrganisationsIcon,
  ),
  customers('/app/operator/organisations/$id', 'nav.organisation', () => import('./pages/organisation/page.tsx')),
  customers('/app/operator/packages', 'nav.packages', () => import('./pages/packages/page.tsx'), icons.PackagesIcon),
  customers('/app/operator/codes', 'nav.codes', () => import('./pages/codes/page.tsx'), icons.CodesIcon),
  customers('/app/operator/codes/$id', 'codes.one', () => import('./pages/code-batch/page.tsx')),
  customers('/app/operator/people', 'nav.people', () => import('./pages/people/page.tsx'), icons.MembersIcon),
  customers('/app/operator/people/operators', 'people.tabOperators', () => import('./pages/people/operators-page.tsx')),
  customers('/app/operator/people/links', 'people.tabLinks', () => import('./pages/people/links-page.tsx')),
  customers('/app/operator/people/tokens', 'people.tabTokens', () => import('./pages/people/tokens-page.tsx')),
  operatorMoney(
    '/app/operator/reconciliation',
    'nav.reconciliation',
    () => import('./pages/reconciliation/page.tsx'),
    icons.ReconciliationIcon,
  ),
  system(
    '/app/operator/alerts',
    'nav.operatorAlerts',
    () => import('./pages/alerts/operator-page.tsx'),
    icons.AlertsIcon,
  ),
  system(
    '/app/operator/audit',
    'nav.operatorAudit',
    () => import('./pages/audit/page.tsx').then(operatorPage),
    icons.AuditIcon,
  ),
  system('/app/operator/system', 'nav.system', () => import('./pages/system/page.tsx'), icons.SystemIcon),
  settings('/app/settings/profile', 'nav.profile', () => import('./pages/profile/page.tsx'), icons.ProfileIcon),
  settings('/app/settings/security', 'nav.security', () => import('./pages/security/page.tsx'), icons.SecurityIcon),
  settings('/app/settings/members', 'nav.members', () => import('./pages/members/page.tsx'), icons.MembersIcon),
  {
    ...settings('/app/settings/audit', 'nav.audit', () => import('./pages/audit/page.tsx'), icons.AuditIcon),
    isForOwners: true,
  },
  forVisitors('/app/sign-in', 'nav.signIn', () => import('./pages/sign-in/page.tsx')),
  forVisitors('/app/sign-up', 'nav.signUp', () => import('./pages/sign-up/page.tsx')),
  forVisitors('/app/setup', 'nav.setup', () => import('./pages/setup/page.tsx')),
  forVisitors('/app/invite', 'nav.invitation', () => import('./pages/invite/page.tsx')),
  forVisitors('/app/confirm', 'nav.confirm', () => import('./pages/confirm/page.tsx')),
  forVisitors('/app/reset', 'nav.reset', () => import('./pages/reset/page.tsx')),
];
