import type { Account } from '../api/wire.ts';

/** What people call an account. */
export function accountName({ name, display_name: shown }: Pick<Account, 'name' | 'display_name'>): string {
  return shown ?? name;
}
