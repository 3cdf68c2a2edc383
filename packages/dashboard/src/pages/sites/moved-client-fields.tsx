import { MultiSelect, Switch, TagsInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { NewSite } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';

type KeyHeader = NonNullable<NewSite['key_headers']>[number];

/** The settings of a site for clients that were made for another gateway. */
export interface MovedClientForm {
  readonly keyHeaders: KeyHeader[];
  readonly pathPrefixes: string[];
  readonly unknownModel404: boolean;
  readonly ignoreFields: string[];
}

interface MovedClientFieldsProps<Form extends MovedClientForm> {
  readonly form: UseFormReturnType<Form>;
  readonly isReadOnly: boolean;
}

export function MovedClientFields<Form extends MovedClientForm>({ form, isReadOnly }: MovedClientFieldsProps<Form>) {
  const { t } = useText();
  return (
    <>
      <MultiSelect
        label={t('sites.keyHeaders')}
        description={t('sites.keyHeadersHelp')}
        data={keyHeaders}
        readOnly={isReadOnly}
        {...form.getInputProps('keyHeaders')}
      />
      <TagsInput
        label={t('sites.pathPrefixes')}
        description={t('sites.pathPrefixesHelp')}
        data={['/api/v1', '/v1', '/']}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        readOnly={isReadOnly}
        {...form.getInputProps('pathPrefixes')}
      />
      <Switch
        label={t('sites.unknownModelSwitch')}
        description={t('sites.unknownModelHelp')}
        disabled={isReadOnly}
        {...form.getInputProps('unknownModel404', { type: 'checkbox' })}
      />
      <TagsInput
        label={t('sites.ignoreFields')}
        description={t('sites.ignoreFieldsHelp')}
        data={['litellm', 'openrouter', 'bifrost', 'portkey', 'new-api']}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        readOnly={isReadOnly}
        {...form.getInputProps('ignoreFields')}
      />
    </>
  );
}

const keyHeaders: KeyHeader[] = [
  'x-litellm-api-key',
  'x-bf-vk',
  'x-portkey-api-key',
  'api-key',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'x-api-key',
];

export function movedClientFormOf(spec: NewSite | undefined): MovedClientForm {
  return {
    keyHeaders: [...(spec?.key_headers ?? [])],
    pathPrefixes: [...(spec?.path_prefixes ?? [])],
    unknownModel404: spec?.unknown_model_status === 404,
    ignoreFields: [...(spec?.ignore_fields ?? [])],
  };
}

/** The fields to send. Leaves out default values. */
export function movedClientSpecOf(form: MovedClientForm): Partial<NewSite> {
  return {
    ...(form.keyHeaders.length > 0 && { key_headers: form.keyHeaders }),
    ...(form.pathPrefixes.length > 0 && { path_prefixes: form.pathPrefixes }),
    ...(form.unknownModel404 && { unknown_model_status: 404 as const }),
    ...(form.ignoreFields.length > 0 && { ignore_fields: form.ignoreFields }),
  };
}
