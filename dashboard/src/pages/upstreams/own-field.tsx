import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type PlainKey, useText } from '../../text/text.tsx';
import { KeysField } from './keys-field.tsx';

export interface OwnFieldProps {
  readonly field: string;
  readonly isRequired: boolean;
  readonly isSecret?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: ReactNode;
}

/** A field that only some kinds take; secrets are covered. */
export function OwnField({ field, isRequired, isSecret = false, value, onChange, error }: OwnFieldProps) {
  const { t } = useText();
  const [label, sample] = fieldWords[field] ?? [undefined, ''];
  const words = label ? t(label) : field;
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

const fieldWords: Readonly<Record<string, readonly [PlainKey, string]>> = {
  region: ['upstreams.fieldRegion', 'us-east-1'],
  project: ['upstreams.fieldProject', 'my-project-123'],
  location: ['upstreams.fieldLocation', 'global'],
  resource_name: ['upstreams.fieldResourceName', 'my-resource'],
  api_version: ['upstreams.fieldApiVersion', 'preview'],
  access_key_id: ['upstreams.fieldAccessKeyId', 'AWS_ACCESS_KEY_ID'],
  secret_access_key: ['upstreams.fieldSecretAccessKey', 'AWS_SECRET_ACCESS_KEY'],
  session_token: ['upstreams.fieldSessionToken', 'AWS_SESSION_TOKEN'],
  service_account: ['upstreams.fieldServiceAccount', 'GOOGLE_SERVICE_ACCOUNT'],
};
