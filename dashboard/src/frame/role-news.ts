import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { sessionQuery, type Session, useSession } from '../api/session.ts';
import { roleName } from '../pages/members/roles.ts';
import { operatorRoleName } from '../pages/people/operator-roles.ts';
import { notifyChange } from '../text/notify.ts';
import { type Translate, useText } from '../text/text.tsx';

type Roles = Pick<Session, 'accounts' | 'operator'>;

/**
 * Notifies the user when their role changes while the page is open, because buttons and forms appear or disappear with
 * it. Reads everything again that the old role could read or not.
 */
export function useRoleNotifications(): void {
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
export function roleMessages(before: Roles, now: Roles, t: Translate): readonly string[] {
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
