import { Button, Group, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Preset } from '../../api/wire.ts';
import { MoreSettings } from '../../components/more-settings.tsx';
import { useText } from '../../text/text.tsx';
import { Form } from '../../components/form.tsx';
import { KeysField, OwnField } from './keys-field.tsx';
import { settingName } from './upstream-labels.ts';
import { isNeeded, kindFieldsOf, type TimeoutName, timeoutNames, type UpstreamValues } from './upstream-values.ts';
import classes from './upstreams.module.css';

export interface UpstreamFormProps {
  readonly preset: Preset;
  readonly start: UpstreamValues;
  /** An existing upstream keeps its name, and its secrets unless new ones are typed. */
  readonly isNew: boolean;
  /** Whether the secrets must be typed again after the current changes. */
  readonly needsSecrets?: (values: UpstreamValues) => boolean;
  readonly action: string;
  readonly isBusy: boolean;
  /** The result of the last attempt to save. */
  readonly notice: ReactNode;
  readonly onSubmit: (values: UpstreamValues) => void;
  readonly onCancel: () => void;
}

/** Asks for the required fields of the kind. The others are under "More settings". */
export function UpstreamForm(props: UpstreamFormProps) {
  const { t } = useText();
  const { preset, isNew, needsSecrets } = props;
  const kindFields = kindFieldsOf(preset);
  const mustHaveSecret = (values: UpstreamValues) => isNew || needsSecrets?.(values) === true;
  // A provider at a custom base URL may need no key.
  const mustHaveKey = (values: UpstreamValues) => mustHaveSecret(values) && values.baseUrl.trim() === '';
  const form = useForm<UpstreamValues>({
    initialValues: props.start,
    validate: (values) => {
      const missing = t('common.required');
      const own = values.credential === 'own' ? [...kindFields.fields, ...kindFields.secrets] : kindFields.fields;
      const unfilled = own.filter((field) => isNeeded(field, values) && !values.own[field]?.trim());
      const mayStay = (field: string) => kindFields.secrets.includes(field) && !mustHaveSecret(values);
      const hasAddress = values.baseUrl.trim() !== '';
      return {
        ...(values.name.trim() === '' && { name: missing }),
        ...(kindFields.baseUrl === 'first' && !hasAddress && { baseUrl: missing }),
        ...(kindFields.takesKey &&
          values.credential === 'key' &&
          mustHaveKey(values) &&
          !values.keys.trim() && { keys: missing }),
        ...Object.fromEntries(
          unfilled
            .filter((field) => !mayStay(field) && !(field === 'resource_name' && hasAddress))
            .map((field) => [`own.${field}`, missing]),
        ),
      };
    },
  });
  const { values } = form;
  const ownProps = (field: string) => ({
    value: values.own[field] ?? '',
    onChange: (text: string) => form.setFieldValue(`own.${field}`, text),
    error: form.errors[`own.${field}`],
  });
  const variable = preset.environment[0] ?? 'PROVIDER_API_KEY';
  const keyHelp =
    isNew || needsSecrets?.(values) ? undefined : t('upstreams.keysKept', { reference: `\${${variable}}` });
  const address = (
    <TextInput
      label={t('upstreams.baseUrl')}
      description={kindFields.baseUrl === 'first' ? t('upstreams.baseUrlFirst') : t('upstreams.baseUrlOther')}
      placeholder={preset.base_url || 'https://api.example.com/v1'}
      withAsterisk={kindFields.baseUrl === 'first'}
      {...form.getInputProps('baseUrl')}
    />
  );
  return (
    <Form onSubmit={form.onSubmit(props.onSubmit)} className={classes['form']}>
      <Stack gap="md">
        <TextInput
          label={t('common.name')}
          description={isNew ? t('upstreams.nameHelp') : t('upstreams.nameStays')}
          withAsterisk={isNew}
          readOnly={!isNew}
          {...form.getInputProps('name')}
        />
        {kindFields.baseUrl === 'first' && address}
        {kindFields.fields.map((field) => (
          <OwnField key={field} field={field} isRequired={isNeeded(field, values)} {...ownProps(field)} />
        ))}
        {kindFields.secrets.length > 0 && (
          <div>
            <Text fz="sm" fw={500} mb={4}>
              {t('upstreams.credential')}
            </Text>
            <SegmentedControl
              aria-label={t('upstreams.credential')}
              data={[
                { value: 'key', label: t('upstreams.credentialKey') },
                {
                  value: 'own',
                  label: kindFields.secrets.includes('service_account')
                    ? t('upstreams.fieldServiceAccount')
                    : t('upstreams.credentialAccessKey'),
                },
              ]}
              {...form.getInputProps('credential')}
            />
          </div>
        )}
        {values.credential === 'key' && kindFields.takesKey && (
          <KeysField
            variable={variable}
            description={keyHelp}
            isRequired={mustHaveKey(values)}
            value={values.keys}
            onChange={(text) => form.setFieldValue('keys', text)}
            error={form.errors['keys']}
          />
        )}
        {values.credential === 'own' &&
          kindFields.secrets.map((field) => (
            <OwnField
              key={field}
              field={field}
              isSecret
              isRequired={isNeeded(field, values) && mustHaveSecret(values)}
              {...ownProps(field)}
            />
          ))}
        {!isNew && needsSecrets?.(values) && (
          <Text fz="sm" c="var(--chart-2)">
            {t('upstreams.secretsLost')}
          </Text>
        )}
        <MoreSettings isFirstOpen={!isNew}>
          <Stack gap="md">
            {kindFields.baseUrl === 'advanced' && address}
            <NumberInput
              label={t('upstreams.maxConcurrency')}
              description={t('upstreams.maxConcurrencyHelp')}
              min={1}
              max={100_000}
              allowDecimal={false}
              maw={240}
              {...form.getInputProps('maxConcurrency')}
            />
            <fieldset className={classes['timeouts']}>
              <legend>{t('upstreams.timeouts')}</legend>
              {timeoutNames.map((name) => (
                <TextInput
                  key={name}
                  label={settingName(name, t)}
                  placeholder={timeoutSamples[name]}
                  {...form.getInputProps(`timeouts.${name}`)}
                />
              ))}
            </fieldset>
          </Stack>
        </MoreSettings>
        {props.notice}
        <Group gap="xs">
          <Button type="submit" loading={props.isBusy}>
            {props.action}
          </Button>
          <Button variant="default" onClick={props.onCancel}>
            {t('common.cancel')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

const timeoutSamples: Readonly<Record<TimeoutName, string>> = {
  connect: '5s',
  first_event: '120s',
  idle: '120s',
  total: '30m',
};
