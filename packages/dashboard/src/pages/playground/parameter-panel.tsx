import { Button, Group, Input, SegmentedControl, Select, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { chatModels, useModels } from '../../api/own-account.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ChevronIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import type { HeldKey } from './key-box.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import classes from './playground.module.css';
import type { SettingsForm } from './settings.ts';
import { surfaceNamed } from './surfaces.ts';

interface ParameterPanelProps extends SettingsForm {
  /** The second model of a side-by-side comparison. */
  readonly secondModel: string | undefined;
  readonly onSecondModel: (model: string | undefined) => void;
  /** False while an answer streams in: the second conversation would start with only a part of it. */
  readonly mayCompare: boolean;
  readonly held: HeldKey;
}

/** Model, parameters and key. Narrow screens collapse the details. */
export function ParameterPanel({
  settings,
  onChange,
  secondModel,
  onSecondModel,
  mayCompare,
  held,
}: ParameterPanelProps) {
  const { t } = useText();
  const [isOpen, fold] = useDisclosure(false);
  const models = useModels();
  const names = chatModels(models.data).map(({ id }) => id);
  return (
    <section className={classes['panel']} aria-label={t('playground.parameters')}>
      <Stack gap="md">
        <ErrorNotice error={models.error} onRetry={() => void models.refetch()} />
        <Select
          label={t('playground.model')}
          placeholder={t('playground.chooseModel')}
          data={names}
          value={settings.model || null}
          onChange={(model) => model !== null && onChange({ model })}
          nothingFoundMessage={t('playground.noModels')}
          searchable
          allowDeselect={false}
        />
        <Select
          label={t('playground.compareWith')}
          placeholder={t('playground.compareNone')}
          data={names.filter((name) => name !== settings.model)}
          value={secondModel ?? null}
          disabled={!mayCompare}
          onChange={(model) => onSecondModel(model ?? undefined)}
          nothingFoundMessage={t('playground.noModels')}
          searchable
          clearable
        />
        <Input.Wrapper label={t('playground.surface')} labelElement="div">
          <SegmentedControl
            aria-label={t('playground.surface')}
            fullWidth
            value={settings.surface}
            onChange={(surface) => onChange({ surface: surfaceNamed(surface) })}
            data={[
              { value: 'chat', label: t('playground.surfaceChat') },
              { value: 'responses', label: t('playground.surfaceResponses') },
              { value: 'messages', label: t('playground.surfaceMessages') },
            ]}
          />
        </Input.Wrapper>
        <UnstyledButton className={classes['fold']} onClick={fold.toggle} aria-expanded={isOpen}>
          {t('playground.parameters')}
          <ChevronIcon size={16} />
        </UnstyledButton>
        <div className={classes['fields']} data-open={isOpen || undefined}>
          <ParameterFields settings={settings} onChange={onChange} />
        </div>
        <KeyLine held={held} />
      </Stack>
    </section>
  );
}

function KeyLine({ held: { key, forget } }: { readonly held: HeldKey }) {
  const { t } = useText();
  const format = useFormat();
  if (!key) return null;
  return (
    <div className={classes['keyLine']}>
      <Text fz="sm">{t('playground.keyInUse', { display: key.display })}</Text>
      <Group gap="xs" justify="space-between">
        <Text fz="xs" c="dimmed">
          {key.expiresAt && t('playground.keyEnds', { when: format.relative(key.expiresAt) })}
        </Text>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={forget}>
          {t('playground.useAnotherKey')}
        </Button>
      </Group>
    </div>
  );
}
