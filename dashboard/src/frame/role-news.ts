import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { sessionQuery, type Session, useSession } from '../api/session.ts';
import { roleName } from '../pages/members/roles.ts';
import { operatorRoleName } from '../pages/people/operator-roles.ts';
import { tellNews } from '../text/tell.ts';
import { type Translate, useText } from '../text/text.tsx';

type Roles = Pick<Session, 'accounts' | 'operator'>;

/**
 * Says what one may do now, where somebody has changed that while the page is open: buttons and forms come and go with
 * it. What was read or refused by the role before is read anew.
 */
export function useRoleNews(): void {
  const { t } = useText();
  const client = useQueryClient();
  const { accounts, operator } = useSession();
  const before = useRef<Roles>({ accounts, operator });
  useEffect(() => {
    const news = roleNews(before.current, { accounts, operator }, t);
    before.current = { accounts, operator };
    if (news.length === 0) return;
    for (const message of news) tellNews(message);
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }, [accounts, operator, client, t]);
}

/** What is said of each role that is another one; who has come to an account knows so. */
export function roleNews(before: Roles, now: Roles, t: Translate): readonly string[] {
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
