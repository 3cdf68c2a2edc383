import { Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { CreatedReset, NewReset } from '../../api/wire.ts';
import { RadioList } from '../../components/radio-list.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';

interface ResetDialogProps {
  readonly name: string;
  /** The API path that creates the link. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Creates a reset link, which is shown once. */
export function ResetDialog({ name, path, onClose }: ResetDialogProps) {
  const { t } = useText();
  const [resets, setResets] = useState<NewReset['resets']>('password');
  const make = useWrite<CreatedReset, NewReset>({ path, changes: ['/admin/v1/links'] });
  return (
    <SecretDialog
      title={t('people.resetTitle', { name })}
      write={make}
      secret={({ email, link, mailed }) => ({
        label: t('people.resetLink', { email }),
        value: new URL(link, location.origin).href,
        note: mailed && <Text>{t('alerts.mailed', { email })}</Text>,
      })}
      action={t('people.resetMake')}
      onSubmit={() => make.mutate({ resets })}
      onClose={onClose}
    >
      <Text>{t('people.resetText')}</Text>
      <RadioList
        label={t('people.resetWhat')}
        value={resets}
        options={resetChoices.map((each) => ({
          value: each.resets,
          label: t(each.name),
          description: t(each.text),
        }))}
        onChange={setResets}
      />
    </SecretDialog>
  );
}

/** The credentials that a user may have lost, and the effect of a reset. */
export const resetChoices = [
  { resets: 'password', name: 'people.resetPassword', text: 'people.resetPasswordText' },
  { resets: 'second-factor', name: 'people.resetTwoFactor', text: 'people.resetTwoFactorText' },
  { resets: 'both', name: 'people.resetBoth', text: 'people.resetBothText' },
] as const;
