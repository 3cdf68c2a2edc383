import {
  Button,
  Input,
  JsonInput,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Textarea,
} from '@mantine/core';
import { useText } from '../../text/text.tsx';
import {
  efforts,
  firstSettings,
  type Settings,
  type SettingsForm,
  temperatureMax,
  defaultMaxTokens,
} from './settings.ts';
import { exampleTools, readTools, type ToolProblem } from './tools.ts';

/** The request parameters besides model and messages. */
export function ParameterFields({ settings, onChange }: SettingsForm) {
  const { t } = useText();
  const isMessages = settings.surface === 'messages';
  return (
    <Stack gap="md">
      <Textarea
        label={t('playground.system')}
        placeholder={t('playground.systemPlaceholder')}
        autosize
        minRows={2}
        maxRows={8}
        value={settings.system}
        onChange={({ currentTarget }) => onChange({ system: currentTarget.value })}
      />
      <NumberInput
        label={t('playground.temperature')}
        placeholder={t('playground.modelDefault')}
        min={0}
        max={temperatureMax(settings.surface)}
        step={0.1}
        decimalScale={2}
        value={settings.temperature ?? ''}
        onChange={(value) => onChange({ temperature: value === '' ? undefined : Number(value) })}
      />
      <NumberInput
        label={t('playground.maxTokens')}
        placeholder={isMessages ? String(defaultMaxTokens) : t('playground.modelDefault')}
        min={1}
        step={256}
        allowDecimal={false}
        value={settings.maxTokens ?? ''}
        onChange={(value) => onChange({ maxTokens: value === '' ? undefined : Number(value) })}
      />
      <Thinking settings={settings} onChange={onChange} />
      <TagsInput
        label={t('playground.stop')}
        placeholder={settings.stop.length === 0 ? t('playground.stopPlaceholder') : ''}
        maxTags={16}
        value={[...settings.stop]}
        onChange={(stop) => onChange({ stop })}
      />
      <Tools settings={settings} onChange={onChange} />
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        disabled={hasDefaults(settings)}
        onClick={() => onChange({ ...firstSettings, surface: settings.surface, model: settings.model })}
      >
        {t('playground.reset')}
      </Button>
    </Stack>
  );
}

function Thinking({ settings, onChange }: SettingsForm) {
  const { t } = useText();
  return (
    <>
      <Input.Wrapper label={t('playground.thinking')} labelElement="div">
        <SegmentedControl
          aria-label={t('playground.thinking')}
          fullWidth
          value={settings.thinking}
          onChange={(thinking) => onChange({ thinking })}
          data={[
            { value: 'default', label: t('playground.thinkingDefault') },
            { value: 'on', label: t('playground.thinkingOn') },
            { value: 'off', label: t('playground.thinkingOff') },
          ]}
        />
      </Input.Wrapper>
      <Select
        label={t('playground.effort')}
        placeholder={t('playground.modelDefault')}
        data={efforts}
        value={settings.effort ?? null}
        onChange={(effort) => onChange({ effort: effort ?? undefined })}
        disabled={settings.thinking === 'off'}
        clearable
      />
    </>
  );
}

const problems = {
  'not-json': 'playground.toolsNotJson',
  'not-a-list': 'playground.toolsNotAList',
  'no-name': 'playground.toolsNoName',
} as const satisfies Record<ToolProblem, string>;

function Tools({ settings, onChange }: SettingsForm) {
  const { t } = useText();
  const read = readTools(settings.tools);
  return (
    <div>
      <JsonInput
        label={t('playground.tools')}
        placeholder="[ … ]"
        autosize
        minRows={3}
        maxRows={14}
        spellCheck={false}
        value={settings.tools}
        onChange={(tools) => onChange({ tools })}
        error={'problem' in read ? t(problems[read.problem]) : undefined}
      />
      {settings.tools === '' && (
        <Button variant="subtle" size="compact-xs" mt={4} onClick={() => onChange({ tools: exampleTools })}>
          {t('playground.toolsExample')}
        </Button>
      )}
    </div>
  );
}

function hasDefaults(settings: Settings): boolean {
  const { surface, model } = settings;
  return JSON.stringify(settings) === JSON.stringify({ ...firstSettings, surface, model });
}
