import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { MadeKey } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { keepInTab, keptInTab } from '../../kept-in-tab.ts';

export interface PlaygroundKey {
  readonly secret: string;
  readonly display: string;
  readonly expiresAt: string | null;
  /** The gateway has refused it. */
  readonly isRefused?: boolean;
}

/**
 * The key that the playground calls with, as any program would. Who may make keys gets one when the first message is
 * sent, for an hour; who may not has to bring one. It is kept in this tab only, apart for each account.
 */
export function usePlaygroundKey() {
  const { id, mayWrite } = useAccount();
  const name = `playground-key.${id}`;
  const [key, setKey] = useState(() => kept(name));
  const making = useWrite<MadeKey>({
    path: '/account/v1/playground-keys',
  });
  const use = (chosen: PlaygroundKey | undefined) => {
    keepInTab(name, chosen);
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
        // The page shows it as the error of the making.
      }
    },
    /** The secret to call with; one that has ended while the page was open is replaced. Throws where none can be made. */
    secret: async () => kept(name)?.secret ?? (mayWrite ? makeOne() : key?.secret),
    /** Notes whether the gateway took a key. What it said of one that was replaced meanwhile is of no use any more. */
    hear: (secret: string, isRefused: boolean) => {
      const held = kept(name);
      if (held?.secret === secret && (held.isRefused ?? false) !== isRefused) use({ ...held, isRefused });
    },
    /** Whether nothing can be sent before somebody brings a key. */
    isWanted: key === undefined && !mayWrite,
    paste: (secret: string) => use({ secret, display: shortened(secret), expiresAt: null }),
    forget: () => use(undefined),
  };
}

function kept(name: string): PlaygroundKey | undefined {
  const key = keptInTab(name) as PlaygroundKey | undefined;
  const hasEnded = key?.expiresAt ? Date.parse(key.expiresAt) <= Date.now() : false;
  return hasEnded ? undefined : key;
}

function shortened(secret: string): string {
  return secret.length < 20 ? '…' : `${secret.slice(0, 11)}…${secret.slice(-2)}`;
}
