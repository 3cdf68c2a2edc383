import { Checkbox, Group, Text, TextInput } from '@mantine/core';
import type { KnownModel } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';
import { isPrice } from '../routes/model-values.ts';
import type { ChosenModel } from './chosen-models.ts';
import classes from './upstream.module.css';

export interface ModelChoiceProps {
  readonly model: string;
  readonly known: KnownModel | undefined;
  /** The catalog already has a model of this name. */
  readonly isTaken: boolean;
  readonly chosen: ChosenModel | undefined;
  /** Whether to show errors for missing prices. */
  readonly isTried: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly onChange: (value: ChosenModel) => void;
}

/** One model of the provider's list: whether it is added, and at which prices. */
export function ModelChoice({ model, known, isTaken, chosen, isTried, onToggle, onChange }: ModelChoiceProps) {
  const { t } = useText();
  const problemOf = (typed: string) => {
    if (typed.trim() === '') return t('upstreams.priceMissing');
    return isPrice(typed) ? undefined : t('routes.priceWrong');
  };
  const price = (name: 'input' | 'output', label: string) => (
    <TextInput
      size="xs"
      w={120}
      label={label}
      aria-label={`${model}: ${label}`}
      inputMode="decimal"
      value={chosen?.[name] ?? ''}
      error={isTried && problemOf(chosen?.[name] ?? '')}
      onChange={({ currentTarget }) => chosen && onChange({ ...chosen, [name]: currentTarget.value })}
    />
  );
  return (
    <li className={classes['choice']}>
      <Checkbox
        label={model}
        description={
          isTaken
            ? t('upstreams.alreadyThere')
            : known && t('upstreams.knownAs', { model: known.known_as, date: known.as_of })
        }
        disabled={isTaken}
        checked={chosen !== undefined}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
      {chosen && (
        <Group gap="xs" align="flex-start" className={classes['prices']}>
          {price('input', t('upstreams.priceIn'))}
          {price('output', t('upstreams.priceOut'))}
          {known && !chosen.known && (
            <Text fz="xs" c="dimmed">
              {known.price['input']} / {known.price['output']} {known.currency}
            </Text>
          )}
        </Group>
      )}
    </li>
  );
}
