import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { MadeKey } from '../../api/wire.ts';
import { useWrite } from '../../api/queries.ts';

export interface PlaygroundKey {
  readonly secret: string;
  readonly display: string;
  readonly expiresAt: string | null;
}

/**
 * The key that the playground calls with, as any program would. Who may make keys gets one when the first message is
 * sent, for an hour; who may not has to bring one. It is kept in this tab only, apart for each account.
 */
export function usePlaygroundKey() {
  const { id, mayWrite } = useAccount();
  const name = `gateway.playground-key.${id}`;
  const [key, setKey] = useState(() => kept(name));
  const making = useWrite<MadeKey>({
    path: '/account/v1/playground-keys',
  });
  const use = (chosen: PlaygroundKey | undefined) => {
    keep(name, chosen);
    setKey(chosen);
  };
  const make = async (): Promise<string | undefined> => {
    try {
      const { secret, display, expires_at: expiresAt } = await making.mutateAsync();
      use({ secret, display, expiresAt });
      return secret;
    } catch {
      // The page shows it as the error of the making.
      return undefined;
    }
  };
  return {
    key,
    making,
    make,
    /** The secret to call with; one that has ended while the page was open is replaced. */
    secret: async () => kept(name)?.secret ?? (mayWrite ? make() : key?.secret),
    /** Whether nothing can be sent before somebody brings a key. */
    isWanted: key === undefined && !mayWrite,
    paste: (secret: string) => use({ secret, display: shortened(secret), expiresAt: null }),
    forget: () => use(undefined),
  };
}

function kept(name: string): PlaygroundKey | undefined {
  try {
    const text = sessionStorage.getItem(name);
    const key = text === null ? undefined : (JSON.parse(text) as PlaygroundKey);
    const hasEnded = key?.expiresAt ? Date.parse(key.expiresAt) <= Date.now() : false;
    return hasEnded ? undefined : key;
  } catch {
    return undefined;
  }
}

function keep(name: string, key: PlaygroundKey | undefined): void {
  try {
    if (key) sessionStorage.setItem(name, JSON.stringify(key));
    else sessionStorage.removeItem(name);
  } catch {
    // Where storage is forbidden, the key lasts as long as the page.
  }
}

function shortened(secret: string): string {
  return secret.length < 20 ? '…' : `${secret.slice(0, 11)}…${secret.slice(-2)}`;
}
