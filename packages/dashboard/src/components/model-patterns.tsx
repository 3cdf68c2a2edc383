import { Badge, Group, TagsInput, type TagsInputProps, Text } from '@mantine/core';
import { useEntryNames } from '../api/queries.ts';
import { useText } from '../text/text.tsx';

/** Selects models by id, alias or pattern, and suggests the existing ones. */
export function ModelPatternsInput(props: TagsInputProps) {
  const { t } = useText();
  const known = useEntryNames('models') ?? [];
  return (
    <TagsInput
      description={t('common.patternsHelp')}
      placeholder={props.readOnly ? undefined : t('common.patternsPlaceholder')}
      data={['*', ...known]}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      clearable={!props.readOnly}
      {...props}
    />
  );
}

/** A few names in a cell, and the count of the others. */
export function NameList({ names, everything }: { readonly names: readonly string[]; readonly everything?: string }) {
  const { t } = useText();
  if (everything !== undefined && names.includes('*')) return <Text inherit>{everything}</Text>;
  if (names.length === 0) {
    return (
      <Text inherit c="dimmed">
        {t('common.none')}
      </Text>
    );
  }
  const shown = names.slice(0, shownMax);
  return (
    <Group gap={4}>
      {shown.map((name) => (
        <Badge key={name} color="gray" ff="monospace">
          {name}
        </Badge>
      ))}
      {names.length > shown.length && (
        <Text span fz="xs" c="dimmed" title={names.slice(shownMax).join(', ')}>
          {t('common.andMore', { count: names.length - shown.length })}
        </Text>
      )}
    </Group>
  );
}

const shownMax = 3;
