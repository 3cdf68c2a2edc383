import { Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useEntryNames } from '../../api/queries.ts';
import type { Resource } from '../../api/resource.ts';
import type { NewSite } from '../../api/wire.ts';
import { nameProblem } from '../../components/input-problems.ts';
import { ModelPatternsInput } from '../../components/model-patterns.tsx';
import { ResourceDialog } from '../../components/resource-dialog.tsx';
import {
  MovedClientFields,
  type MovedClientForm,
  movedClientFormOf,
  movedClientSpecOf,
} from './moved-client-fields.tsx';
import { useText } from '../../text/text.tsx';

/** Adds a site, or shows and changes one. */
export function SiteDialog({ site, onClose }: { readonly site: Resource<NewSite> | undefined; onClose: () => void }) {
  const { t } = useText();
  const form = useForm<SiteForm>({
    initialValues: formOf(site?.spec),
    validate: {
      name: (name) => nameProblem(name, t),
      domains: (domains) => (domains.length === 0 ? t('sites.domainsMissing') : null),
      models: (models) => (models.length === 0 ? t('sites.modelsMissing') : null),
    },
  });
  return (
    <ResourceDialog<NewSite>
      kind="site"
      entry={site}
      form={form}
      onSubmit={(send) => form.onSubmit((values) => send((spec) => specOf(values, spec)))()}
      asWritten={(spec) => specOf(formOf(spec), spec)}
      lists={{ domains: 'set', models: 'set', path_prefixes: 'set', ignore_fields: 'set' }}
      labels={{
        name: t('sites.name'),
        title: t('sites.title'),
        domains: t('sites.domains'),
        models: t('sites.models'),
        sign_up: t('sites.signUpSwitch'),
        sign_up_package: t('sites.signUpPackage'),
        honour_stream_false: t('sites.streamFalseSwitch'),
        report_cost: t('keys.costSwitch'),
        messages_bearer: t('sites.bearerSwitch'),
        key_headers: t('sites.keyHeaders'),
        path_prefixes: t('sites.pathPrefixes'),
        unknown_model_status: t('sites.unknownModelSwitch'),
        ignore_fields: t('sites.ignoreFields'),
      }}
      onClose={onClose}
    >
      {(isReadOnly) => <SiteFields form={form} isNew={!site} isReadOnly={isReadOnly} />}
    </ResourceDialog>
  );
}

interface SiteFieldsProps {
  readonly form: UseFormReturnType<SiteForm>;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
}

function SiteFields({ form, isNew, isReadOnly }: SiteFieldsProps) {
  const { t } = useText();
  const { signUp, signUpPackage } = form.getValues();
  const names = useEntryNames('packages', signUp) ?? [signUpPackage];
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
        label={t('keys.costSwitch')}
        description={t('keys.costHelp')}
        disabled={isReadOnly}
        {...form.getInputProps('reportCost', { type: 'checkbox' })}
      />
      <Switch
        label={t('sites.bearerSwitch')}
        description={t('sites.bearerHelp')}
        disabled={isReadOnly}
        {...form.getInputProps('messagesBearer', { type: 'checkbox' })}
      />
      <MovedClientFields form={form} isReadOnly={isReadOnly} />
    </>
  );
}

/** The form values of a site. */
interface SiteForm extends MovedClientForm {
  readonly name: string;
  readonly title: string;
  readonly domains: string[];
  readonly models: string[];
  readonly signUp: boolean;
  readonly signUpPackage: string;
  readonly honourStreamFalse: boolean;
  readonly reportCost: boolean;
  readonly messagesBearer: boolean;
}

function formOf(spec: NewSite | undefined): SiteForm {
  return {
    name: spec?.name ?? '',
    title: spec?.title ?? '',
    domains: [...(spec?.domains ?? [])],
    models: [...(spec?.models ?? ['*'])],
    signUp: spec?.sign_up ?? false,
    signUpPackage: spec?.sign_up_package ?? 'standard',
    honourStreamFalse: spec?.honour_stream_false ?? false,
    reportCost: spec?.report_cost ?? false,
    messagesBearer: spec?.messages_bearer ?? false,
    ...movedClientFormOf(spec),
  };
}

/** The spec to send. Leaves out default values, and keeps fields that the form does not have. */
function specOf(form: SiteForm, before: NewSite | undefined): NewSite {
  const {
    title: _title,
    sign_up: _signUp,
    sign_up_package: _package,
    honour_stream_false: _stream,
    report_cost: _cost,
    messages_bearer: _bearer,
    key_headers: _keyHeaders,
    path_prefixes: _prefixes,
    unknown_model_status: _status,
    ignore_fields: _ignored,
    ...rest
  } = before ?? {};
  return {
    ...rest,
    name: form.name.trim(),
    domains: form.domains,
    models: form.models,
    ...(form.title.trim() && { title: form.title.trim() }),
    ...(form.signUp && { sign_up: true, sign_up_package: form.signUpPackage }),
    ...(form.honourStreamFalse && { honour_stream_false: true }),
    ...(form.reportCost && { report_cost: true }),
    ...(form.messagesBearer && { messages_bearer: true }),
    ...movedClientSpecOf(form),
  };
}
