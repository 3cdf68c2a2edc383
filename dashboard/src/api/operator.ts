import { useSession } from './session.ts';

/** Whether this user may change what operators look after, or only look. */
export function useMayOperate(): boolean {
  const { operator } = useSession();
  return operator === 'owner' || operator === 'operator';
}
