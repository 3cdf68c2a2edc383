import { useAccountChoice } from '../../api/account.tsx';
import { useMayOperate, useSession } from '../../api/session.ts';
import * as icons from '../../icons.tsx';
import { matchesWords, type PaletteMatch, type PaletteText } from './match.ts';

interface Action extends Pick<PaletteMatch, 'icon' | 'opens'> {
  readonly name: ActionName;
}

const accountsPath = '/app/operator/accounts';

const memberActions = [
  { name: 'createKey', icon: icons.KeyIcon, opens: { to: '/app/keys', search: { new: 'key' } } },
  { name: 'topUp', icon: icons.BillingIcon, opens: { to: '/app/billing' } },
] as const;

const ownerActions = [
  { name: 'inviteMember', icon: icons.MembersIcon, opens: { to: '/app/settings/members', search: { open: 'invite' } } },
] as const;

const operatorActions = [
  { name: 'addCredit', icon: icons.BillingIcon, opens: { kind: 'account', search: { open: 'credit' } } },
  {
    name: 'suspendAccount',
    icon: icons.AccountsIcon,
    opens: { kind: 'account', status: 'active', search: { open: 'suspend' } },
  },
  {
    name: 'resumeAccount',
    icon: icons.AccountsIcon,
    opens: { kind: 'account', status: 'suspended', search: { open: 'resume' } },
  },
  { name: 'changePackage', icon: icons.PackagesIcon, opens: { kind: 'account', search: { open: 'package' } } },
  { name: 'createAccount', icon: icons.AccountsIcon, opens: { to: accountsPath, search: { add: '1' } } },
  { name: 'testUpstream', icon: icons.UpstreamsIcon, opens: { kind: 'upstream', search: { test: '1' } } },
  {
    name: 'addUpstream',
    icon: icons.UpstreamsIcon,
    opens: { to: '/app/operator/upstreams', search: { add: 'choose' } },
  },
  { name: 'addModel', icon: icons.RoutesIcon, opens: { to: '/app/operator/models', search: { add: 'new' } } },
  { name: 'createCodes', icon: icons.CodesIcon, opens: { to: '/app/operator/codes', search: { open: 'codes' } } },
] as const;

const gatewayOwnerActions = [
  {
    name: 'inviteOperator',
    icon: icons.MembersIcon,
    opens: { to: '/app/operator/people/operators', search: { open: 'invite' } },
  },
] as const;

type ActionName = (
  | typeof memberActions
  | typeof ownerActions
  | typeof operatorActions
  | typeof gatewayOwnerActions
)[number]['name'];

/** The actions that this user may take and whose name has the words of the query. */
export function useActions(query: string, p: PaletteText): readonly PaletteMatch[] {
  const { operator } = useSession();
  const mayOperate = useMayOperate();
  const { account } = useAccountChoice();
  const actions: readonly Action[] = [
    ...(account?.mayWrite ? memberActions : []),
    ...(account?.mayWrite && account.role === 'owner' ? ownerActions : []),
    ...(mayOperate ? operatorActions : []),
    ...(operator === 'owner' ? gatewayOwnerActions : []),
  ];
  return actions
    .map(({ name, icon, opens }) => ({ id: `action ${name}`, kind: p('action'), name: p(name), icon, opens }))
    .filter(({ name }) => matchesWords(name, query));
}
