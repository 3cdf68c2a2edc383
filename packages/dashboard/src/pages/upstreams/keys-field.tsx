import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../text/text.tsx';
import { settingName } from './upstream-labels.ts';
import classes from './upstreams.module.css';

export interface KeysFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The usual environment variable, for the example. */
  readonly variable: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly label?: string;
  readonly isRequired?: boolean;
}

/** Secrets, masked while typed. One per line, so that several keys can share the load. */
export function KeysField({
  value,
  onChange,
  variable,
  description,
  error,
  label,
  isRequired = false,
}: KeysFieldProps) {
  const { t } = useText();
  return (
    <Textarea
      label={label ?? t('upstreams.keys')}
      description={description ?? t('upstreams.keysHelp', { reference: `\${${variable}}` })}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      withAsterisk={isRequired}
      autosize
      minRows={1}
      maxRows={8}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes['secret'] ?? '' }}
    />
  );
}

interface OwnFieldProps {
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
