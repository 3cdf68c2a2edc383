import { Autocomplete, Checkbox, Group, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { passThroughEndpoints } from 'chat-formats/chat/pass-through-endpoint.ts';
import { useText } from '../../text/text.tsx';
import { type ModelValues, untranslatableWords } from './model-values.ts';
import classes from './routes.module.css';

interface CapabilityFieldsProps {
  readonly form: UseFormReturnType<ModelValues>;
}

/** The capabilities of a model. */
export function CapabilityFields({ form }: CapabilityFieldsProps) {
  const { t } = useText();
  return (
    <>
      <Checkbox.Group
        label={t('routes.surfaces')}
        description={t('routes.surfacesHelp')}
        {...form.getInputProps('surfaces')}
        value={[...form.values.surfaces]}
      >
        <Group mt="xs">
          <Checkbox value="openai" label={t('routes.surfaceChat')} />
          <Checkbox value="openai-response" label={t('routes.surfaceResponses')} />
          <Checkbox value="anthropic" label={t('routes.surfaceMessages')} />
        </Group>
      </Checkbox.Group>
      <Checkbox.Group
        label={t('routes.endpoints')}
        description={t('routes.endpointsHelp')}
        {...form.getInputProps('endpoints')}
        value={[...form.values.endpoints]}
      >
        <Group mt="xs">
          {passThroughEndpoints.map((name) => (
            <Checkbox key={name} value={name} label={name} />
          ))}
        </Group>
      </Checkbox.Group>
      <div className={classes['fields']}>
        <NumberInput
          label={t('routes.context')}
          placeholder={t('routes.unchecked')}
          min={1}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('contextWindow')}
        />
        <NumberInput
          label={t('routes.maxOutput')}
          placeholder={t('routes.unlimited')}
          min={1}
          allowDecimal={false}
          thousandSeparator=","
          {...form.getInputProps('maxOutputTokens')}
        />
      </div>
      <Switch
        label={t('routes.thinking')}
        description={t('routes.thinkingHelp')}
        {...form.getInputProps('thinking', { type: 'checkbox' })}
      />
      <RareFields form={form} />
    </>
  );
}

function RareFields({ form }: CapabilityFieldsProps) {
  const { t } = useText();
  return (
    <>
      <TextInput label={t('routes.ownedBy')} description={t('routes.ownedByHelp')} {...form.getInputProps('ownedBy')} />
      <Autocomplete
        label={t('routes.toolFormat')}
        description={t('routes.toolFormatHelp')}
        data={['auto', 'off']}
        {...form.getInputProps('toolFormat')}
      />
      <Select
        label={t('routes.startsWithReasoning')}
        allowDeselect={false}
        data={[
          { value: 'family', label: t('routes.asFamily') },
          { value: 'yes', label: t('common.yes') },
          { value: 'no', label: t('common.no') },
        ]}
        {...form.getInputProps('thinksFirst')}
      />
      <Switch
        label={t('routes.repair')}
        description={t('routes.repairHelp')}
        {...form.getInputProps('repairArguments', { type: 'checkbox' })}
      />
      <Select
        label={t('routes.untranslatable')}
        description={t('routes.untranslatableHelp')}
        allowDeselect={false}
        data={Object.entries(untranslatableWords).map(([value, word]) => ({ value, label: t(word) }))}
        {...form.getInputProps('untranslatable')}
      />
      <Switch
        label={t('routes.continues')}
        description={t('routes.continuesHelp')}
        {...form.getInputProps('continues', { type: 'checkbox' })}
      />
    </>
  );
}
