import { Alert, Button, Group, PasswordInput, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { CreatedKey } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { KeyIcon } from '../../icons.tsx';
import { readFromTab, storeInTab } from '../../remembered.ts';
import { useText } from '../../text/text.tsx';
import classes from './playground.module.css';

export type HeldKey = ReturnType<typeof usePlaygroundKey>;

interface KeyBoxProps {
  readonly held: HeldKey;
  readonly isRefused: boolean;
  /** Whether the gateway has not yet accepted or rejected the key. */
  readonly isRunning: boolean;
}

/** Gets a working key for the playground: creates one, or takes a pasted one. */
export function KeyBox({ held, isRefused, isRunning }: KeyBoxProps) {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // It appears in the middle of a conversation, which cannot continue without a key.
    if (isRefused && !isRunning) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isRefused, isRunning]);
  const [pasted, setPasted] = useState('');
  const [isWrong, setWrong] = useState(false);
  const use = () => {
    const isKey = looksLikeKey(pasted.trim());
    setWrong(!isKey);
    if (isKey) held.paste(pasted.trim());
  };
  return (
    <section ref={box} className={classes['keyBox']} aria-label={t('playground.keyTitle')}>
      <Group gap="xs">
        <KeyIcon size={18} />
        <Text fw={600}>{t('playground.keyTitle')}</Text>
      </Group>
      {isRefused && <Alert color="orange">{t('playground.keyRejected')}</Alert>}
      <Text c="dimmed">{t(mayWrite ? 'playground.keyText' : 'playground.keyReadOnly')}</Text>
      <ErrorNotice error={held.making.error} />
      <div className={classes['keyWays']}>
        {mayWrite && (
          <Button onClick={() => void held.make()} loading={held.making.isPending}>
            {t('playground.createKey')}
          </Button>
        )}
        <Form className={classes['paste']} onSubmit={() => use()}>
          <PasswordInput
            aria-label={t('playground.keyPaste')}
            placeholder={t('playground.keyPaste')}
            autoComplete="off"
            value={pasted}
            error={isWrong && t('playground.keyWrong')}
            onChange={({ currentTarget }) => setPasted(currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={pasted.trim() === ''}>
            {t('playground.keyUse')}
          </Button>
        </Form>
      </div>
      <Text fz="xs" c="dimmed">
        {t('playground.keyKept')}
      </Text>
    </section>
  );
}

/** The prefix of all keys. Only the gateway can check whether the key exists. */
function looksLikeKey(text: string): boolean {
  return /^gwk_live_\w+$/.test(text);
}

interface PlaygroundKey {
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
