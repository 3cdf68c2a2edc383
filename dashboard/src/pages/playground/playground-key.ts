import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { MadeKey, NewOwnKey } from '../../api/wire.ts';
import { useWrite } from '../../api/queries.ts';

export interface PlaygroundKey {
  readonly secret: string;
  readonly display: string;
  readonly expiresAt: string | null;
}

const dayMs = 86_400_000;

/** The key that the playground calls with. It is kept in this tab only, apart for each account. */
export function usePlaygroundKey() {
  const { id } = useAccount();
  const name = `gateway.playground-key.${id}`;
  const [key, setKey] = useState(() => kept(name));
  const making = useWrite<MadeKey>({
    path: '/account/v1/keys',
    send: (): NewOwnKey => ({ name: 'playground', expires_at: new Date(Date.now() + dayMs).toISOString() }),
    changes: ['/account/v1/keys'],
  });
  const use = (chosen: PlaygroundKey | undefined) => {
    keep(name, chosen);
    setKey(chosen);
  };
  return {
    key,
    making,
    make: () =>
      making.mutate(undefined, {
        onSuccess: ({ secret, display, expires_at: expiresAt }) => use({ secret, display, expiresAt }),
      }),
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
