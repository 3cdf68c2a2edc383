import { ActionIcon, Button, Stack, TextInput } from '@mantine/core';
import { CloseIcon, PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { nextKey, type ToolValues } from './price-values.ts';
import type { PricePartProps } from './token-price-fields.tsx';
import classes from './price-rows.module.css';

/** The prices of tools that the provider runs, one row for each. */
export function ToolPrices({ price: { tools }, path: schedule, errors, onChange }: PricePartProps) {
  const { t } = useText();
  const change = (index: number, changed: Partial<ToolValues>) => {
    const path = `${schedule}.provider_tools.${tools[index]?.name.trim() ?? ''}`;
    onChange({ tools: tools.map((tool, each) => (each === index ? { ...tool, ...changed } : tool)) }, path);
  };
  return (
    <Stack gap="xs">
      {tools.map(({ key, name, price }, index) => (
        <div key={key} className={classes['tool']}>
          <TextInput
            label={t('routes.tool')}
            placeholder="web_search"
            value={name}
            error={errors[`${schedule}.provider_tools.${name.trim()}`]}
            onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
          />
          <TextInput
            label={t('routes.partPrice')}
            placeholder="0.00"
            inputMode="decimal"
            value={price}
            onChange={({ currentTarget }) => change(index, { price: currentTarget.value })}
          />
          <ActionIcon
            variant="transparent"
            color="gray"
            className={classes['removeTool'] ?? ''}
            aria-label={t('common.fieldInside', { group: name || t('routes.tool'), field: t('common.remove') })}
            onClick={() => onChange({ tools: tools.filter((_, each) => each !== index) }, `${schedule}.provider_tools`)}
          >
            <CloseIcon size={16} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="default"
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<PlusIcon size={14} />}
        onClick={() => onChange({ tools: [...tools, { key: nextKey(tools), name: '', price: '' }] }, '')}
      >
        {t('routes.addTool')}
      </Button>
    </Stack>
  );
}
