import { useSession } from './session.ts';

/** Whether this user may change operator settings, or only view them. */
export function useMayOperate(): boolean {
  const { operator } = useSession();
  return operator === 'owner' || operator === 'operator';
}
