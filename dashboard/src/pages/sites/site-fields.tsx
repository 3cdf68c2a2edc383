import { Select, Switch, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Resource } from '../../api/resource.ts';
import { type Page, useRead } from '../../api/queries.ts';
import { ModelPatternsInput } from '../../components/model-patterns.tsx';
import { useText } from '../../text/text.tsx';
import type { SiteForm } from './site-form.ts';

export interface SiteFieldsProps {
  readonly form: UseFormReturnType<SiteForm>;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
}

export function SiteFields({ form, isNew, isReadOnly }: SiteFieldsProps) {
  const { t } = useText();
  const { signUp, signUpPackage } = form.getValues();
  const packages = useRead<Page<Resource>>('/admin/v1/packages', { limit: 200 }, { enabled: signUp });
  const names = packages.data?.data.map(({ name }) => name) ?? [signUpPackage];
  return (
    <>
      {isNew && (
        <TextInput
          label={t('sites.name')}
          description={t('sites.nameHelp')}
          data-autofocus
          withAsterisk
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label={t('sites.title')}
        description={t('sites.titleHelp')}
        placeholder="Chat Gateway"
        maxLength={64}
        readOnly={isReadOnly}
        {...form.getInputProps('title')}
      />
      <TagsInput
        label={t('sites.domains')}
        description={t('sites.domainsHelp')}
        placeholder={isReadOnly ? undefined : t('sites.domainsPlaceholder')}
        dropdownOpened={false}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        withAsterisk
        readOnly={isReadOnly}
        {...form.getInputProps('domains')}
      />
      <ModelPatternsInput
        label={t('sites.models')}
        withAsterisk
        readOnly={isReadOnly}
        {...form.getInputProps('models')}
      />
      <Switch
        label={t('sites.signUpSwitch')}
        description={t('sites.signUpHelp')}
        disabled={isReadOnly}
        {...form.getInputProps('signUp', { type: 'checkbox' })}
      />
      {signUp && (
        <Select
          label={t('sites.signUpPackage')}
          data={names}
          allowDeselect={false}
          readOnly={isReadOnly}
          {...form.getInputProps('signUpPackage')}
        />
      )}
      <Switch
        label={t('sites.streamFalseSwitch')}
        description={t('sites.streamFalseHelp')}
        disabled={isReadOnly}
        {...form.getInputProps('honourStreamFalse', { type: 'checkbox' })}
      />
      <Switch
        label={t('sites.bearerSwitch')}
        description={t('sites.bearerHelp')}
        disabled={isReadOnly}
        {...form.getInputProps('messagesBearer', { type: 'checkbox' })}
      />
    </>
  );
}
