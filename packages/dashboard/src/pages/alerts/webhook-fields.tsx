import { Checkbox, Stack, Switch, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { Webhook } from '../../api/wire.ts';
import type { FieldLabels } from '../../text/error-text.ts';
import { type Translate, useText } from '../../text/text.tsx';
import { type EventKind, kindName, type WebhookScope } from './side.ts';

/** The form values of a webhook. */
interface WebhookFormValues {
  readonly name: string;
  readonly url: string;
  readonly isAll: boolean;
  readonly events: readonly EventKind[];
}

export function formValuesOf(webhook: Webhook | undefined): WebhookFormValues {
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? 'https://',
    isAll: webhook ? webhook.events === null : true,
    events: webhook?.events ?? [],
  };
}

/** The fields of a webhook as they are sent. `events` null: all events. */
export interface WebhookBody {
  readonly name: string;
  readonly url: string;
  readonly events: readonly EventKind[] | null;
}

export function bodyOf({ name, url, isAll, events }: WebhookFormValues): WebhookBody {
  return { name: name.trim(), url: url.trim(), events: isAll ? null : events };
}

export function useWebhookForm(webhook?: Webhook): UseFormReturnType<WebhookFormValues> {
  const { t } = useText();
  return useForm({
    initialValues: formValuesOf(webhook),
    validate: {
      name: (name) => (name.trim() === '' ? t('common.required') : null),
      url: (url) => (URL.canParse(url.trim()) ? null : t('alerts.urlProblem')),
      events: (events, { isAll }) => (isAll || events.length > 0 ? null : t('common.required')),
    },
  });
}

/** The labels of the form fields. */
export function webhookLabels(t: Translate): FieldLabels {
  return { name: t('common.name'), url: t('alerts.url'), events: t('alerts.events') };
}

interface WebhookFieldsProps {
  readonly side: WebhookScope;
  readonly form: UseFormReturnType<WebhookFormValues>;
}

export function WebhookFields({ side, form }: WebhookFieldsProps) {
  const { t } = useText();
  return (
    <>
      <TextInput
        label={t('common.name')}
        maxLength={64}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('alerts.url')}
        type="url"
        maxLength={2000}
        autoComplete="off"
        {...form.getInputProps('url')}
      />
      <Switch label={t('alerts.everything')} {...form.getInputProps('isAll', { type: 'checkbox' })} />
      {!form.values.isAll && (
        <Checkbox.Group label={t('alerts.events')} {...form.getInputProps('events')}>
          <Stack gap="xs" mt={4}>
            {side.kinds.map((kind) => (
              <Checkbox key={kind} value={kind} label={kindName(kind, t)} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}
