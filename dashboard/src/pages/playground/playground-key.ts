import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { CreatedKey } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { readFromTab, storeInTab } from '../../remembered.ts';

export interface PlaygroundKey {
  readonly secret: string;
  readonly display: string;
  readonly expiresAt: string | null;
  /** The gateway rejected it. */
  readonly isRefused?: boolean;
}

/**
 * The API key of the playground, which calls the public API. A user who may create keys gets one for an hour with the
 * first message; others must paste one. It is stored in this tab only, per account.
 */
export function usePlaygroundKey() {
  const { id, mayWrite } = useAccount();
  const name = `playground-key.${id}`;
  const [key, setKey] = useState(() => storedKey(name));
  const making = useWrite<CreatedKey>({
    path: '/account/v1/playground-keys',
  });
  const use = (chosen: PlaygroundKey | undefined) => {
    storeInTab(name, chosen);
    setKey(chosen);
  };
  const makeOne = async (): Promise<string> => {
    const { secret, display, expires_at: expiresAt } = await making.mutateAsync();
    use({ secret, display, expiresAt });
    return secret;
  };
  return {
    key,
    making,
    make: async () => {
      try {
        await makeOne();
      } catch {
        // The page shows the error of the write.
      }
    },
    /** Returns the secret, and replaces a key that has expired meanwhile. Throws if none can be created. */
    secret: async () => storedKey(name)?.secret ?? (mayWrite ? makeOne() : key?.secret),
    /** Records whether the gateway accepted a key. Ignores a key that was replaced meanwhile. */
    recordUse: (secret: string, isRefused: boolean) => {
      const held = storedKey(name);
      if (held?.secret === secret && (held.isRefused ?? false) !== isRefused) use({ ...held, isRefused });
    },
    /** Whether the user must paste a key before sending. */
    isMissing: key === undefined && !mayWrite,
    paste: (secret: string) => use({ secret, display: shortened(secret), expiresAt: null }),
    forget: () => use(undefined),
  };
}

function storedKey(name: string): PlaygroundKey | undefined {
  const key = readFromTab(name) as PlaygroundKey | undefined;
  const hasEnded = key?.expiresAt ? Date.parse(key.expiresAt) <= Date.now() : false;
  return hasEnded ? undefined : key;
}

function shortened(secret: string): string {
  return secret.length < 20 ? '…' : `${secret.slice(0, 11)}…${secret.slice(-2)}`;
}
