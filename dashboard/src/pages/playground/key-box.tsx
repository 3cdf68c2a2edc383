import { Alert, Button, Group, PasswordInput, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { KeyIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import classes from './playground.module.css';
import type { usePlaygroundKey } from './playground-key.ts';

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
        <form
          className={classes['paste']}
          onSubmit={(event) => {
            event.preventDefault();
            use();
          }}
        >
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
        </form>
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
