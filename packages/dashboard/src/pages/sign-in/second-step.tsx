import { Anchor, Button, Group, PinInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead } from './card.tsx';

/** A code of the authenticator app, or a backup code. */
export function SecondStep({ onBack }: { readonly onBack: () => void }) {
  const { t } = useText();
  const secondFactor = useSignInStep<{ code: string }>('/auth/two-factor');
  const [isBackup, setBackup] = useState(false);
  const [code, setCode] = useState('');
  const send = (written: string) => secondFactor.mutate({ code: written.trim() }, { onError: () => setCode('') });
  return (
    <Form onSubmit={() => send(code)}>
      <Stack gap="lg">
        <CardHead title={t('signIn.codeTitle')} text={t(isBackup ? 'signIn.backupText' : 'signIn.codeText')} />
        <ErrorNotice error={secondFactor.error} labels={{ code: t('signIn.code') }} />
        {isBackup ? (
          <TextInput
            label={t('signIn.backupCode')}
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
            autoComplete="one-time-code"
            autoFocus
          />
        ) : (
          <PinInput
            length={6}
            type="number"
            size="lg"
            oneTimeCode
            autoFocus
            aria-label={t('signIn.code')}
            value={code}
            onChange={setCode}
            onComplete={send}
          />
        )}
        <Button type="submit" size="md" loading={secondFactor.isPending} disabled={code.trim().length < 6} fullWidth>
          {t('common.next')}
        </Button>
        <Group justify="space-between">
          <Anchor
            component="button"
            type="button"
            fz="sm"
            onClick={() => {
              setCode('');
              setBackup(!isBackup);
            }}
          >
            {t(isBackup ? 'signIn.useApp' : 'signIn.useBackup')}
          </Anchor>
          <Anchor component="button" type="button" fz="sm" c="dimmed" onClick={onBack}>
            {t('signIn.startOver')}
          </Anchor>
        </Group>
      </Stack>
    </Form>
  );
}
