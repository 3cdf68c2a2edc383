import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Key, MemberList } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';

/** A member for whom a key can count, by id. An empty value means no member. */
export interface MemberChoice {
  readonly value: string;
  readonly label: string;
}

/**
 * The members for whom the key can count. Empty if the user may not choose, or is the only member. An owner of the
 * organisation may be no member of the account: the list also has the user, and the current member of the key.
 */
export function useMemberChoices({ membersPath = '', accountId }: KeyScope, key?: Key): readonly MemberChoice[] {
  const { t } = useText();
  const { user } = useSession();
  const { data } = useRead<MemberList>(membersPath, {}, { enabled: membersPath !== '' });
  if (!data) return [];
  const members = data.data.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }));
  const others = [
    ...(accountId === undefined ? [{ value: user.id, label: `${user.name} (${user.email})` }] : []),
    ...(key?.member_id ? [{ value: key.member_id, label: key.member ?? key.member_id }] : []),
  ];
  const missing = others.filter(({ value }) => !members.some((member) => member.value === value));
  const all = [...members, ...new Map(missing.map((each) => [each.value, each])).values()];
  const isAlone = all.length === 0 || (accountId === undefined && all.length === 1);
  return isAlone ? [] : [{ value: '', label: t('keys.noMember') }, ...all];
}
