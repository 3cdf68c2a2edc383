import type { Account } from '../api/wire.ts';

/** The display name of an account, or its name if it has none. */
export function accountName({ name, display_name: shown }: Pick<Account, 'name' | 'display_name'>): string {
  return shown ?? name;
}
