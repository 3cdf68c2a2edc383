import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../text/text.tsx';
import { KeysField } from './keys-field.tsx';
import { settingName } from './setting-words.ts';

export interface OwnFieldProps {
  readonly field: string;
  readonly isRequired: boolean;
  readonly isSecret?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: ReactNode;
}

/** A field that only some kinds have. Secrets are masked. */
export function OwnField({ field, isRequired, isSecret = false, value, onChange, error }: OwnFieldProps) {
  const { t } = useText();
  const sample = samples[field] ?? '';
  const words = settingName(field, t);
  if (isSecret) {
    return (
      <KeysField
        label={words}
        variable={sample}
        isRequired={isRequired}
        value={value}
        onChange={onChange}
        error={error}
        description={
          isRequired
            ? t('upstreams.secretHelp', { reference: `\${${sample}}` })
            : t('upstreams.keysKept', { reference: `\${${sample}}` })
        }
      />
    );
  }
  return (
    <TextInput
      label={words}
      placeholder={sample}
      withAsterisk={isRequired}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
    />
  );
}

/** The placeholders. */
const samples: Readonly<Record<string, string>> = {
  region: 'us-east-1',
  project: 'my-project-123',
  location: 'global',
  resource_name: 'my-resource',
  api_version: 'preview',
  access_key_id: 'AWS_ACCESS_KEY_ID',
  secret_access_key: 'AWS_SECRET_ACCESS_KEY',
  session_token: 'AWS_SESSION_TOKEN',
  service_account: 'GOOGLE_SERVICE_ACCOUNT',
};
