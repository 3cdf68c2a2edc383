import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { ownerHeader } from './call.ts';
import { recall, remember } from '../remembered.ts';
import { type MemberRole, type Session, useSession } from './session.ts';

/** The account that the account pages show. */
export interface ChosenAccount {
  readonly id: string;
  readonly name: string;
  readonly role: MemberRole;
  /** An operator views an account of another user, read-only. */
  readonly isForeign: boolean;
  readonly mayWrite: boolean;
}

interface AccountChoice {
  readonly account: ChosenAccount | undefined;
  readonly choose: (id: string) => void;
  /** Shows an operator the account as its owner sees it, read-only. */
  readonly viewAs: (account: { readonly id: string; readonly name: string }) => void;
  readonly leave: () => void;
  /** The organisation that its pages show. */
  readonly organisation: OwnOrganisation | undefined;
  readonly chooseOrganisation: (id: string) => void;
}

type OwnOrganisation = Session['organisations'][number];

const AccountContext = createContext<AccountChoice | undefined>(undefined);

export function AccountProvider({ children }: { readonly children: ReactNode }) {
  const { accounts, organisations, operator } = useSession();
  const [chosen, setChosen] = useState(() => recall('account'));
  const [chosenOrganisation, setChosenOrganisation] = useState(() => recall('organisation'));
  const [foreign, setForeign] = useState<{ readonly id: string; readonly name: string }>();
  const choice = useMemo<AccountChoice>(() => {
    const own = accounts.find(({ id }) => id === chosen) ?? accounts[0];
    const account = foreign
      ? { ...foreign, role: 'viewer' as const, isForeign: true, mayWrite: false }
      : own && { ...own, isForeign: false, mayWrite: own.role !== 'viewer' };
    return {
      account,
      choose: (id) => {
        remember('account', id);
        setForeign(undefined);
        setChosen(id);
      },
      viewAs: (other) => {
        if (operator) setForeign(other);
      },
      leave: () => setForeign(undefined),
      organisation: organisations.find(({ id }) => id === chosenOrganisation) ?? organisations[0],
      chooseOrganisation: (id) => {
        remember('organisation', id);
        setChosenOrganisation(id);
      },
    };
  }, [accounts, organisations, operator, chosen, chosenOrganisation, foreign]);
  return <AccountContext value={choice}>{children}</AccountContext>;
}

export function useAccountChoice(): AccountChoice {
  const choice = useContext(AccountContext);
  if (!choice) throw new Error('useAccountChoice is called outside AccountProvider.');
  return choice;
}

/** Returns the id of the account or organisation that calls to a path are for. Undefined: the path is for operators. */
export function useOwnerOf(): (path: string) => string | undefined {
  const { account, organisation } = useAccountChoice();
  return (path) => {
    const header = ownerHeader(path);
    return header === undefined ? undefined : (header === 'x-organisation' ? organisation : account)?.id;
  };
}

/** The shown account. Only account pages may call this: they render only if an account is chosen. */
export function useAccount(): ChosenAccount {
  const { account } = useAccountChoice();
  if (!account) throw new Error('useAccount is called although no account is chosen.');
  return account;
}
