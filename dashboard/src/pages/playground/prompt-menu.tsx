import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { CloseIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { SavedPrompt } from './saved-prompt.ts';
import { useSavedPrompts } from './saved-prompts.ts';
import classes from './playground.module.css';

export interface PromptMenuProps {
  /** The current input. */
  readonly current: SavedPrompt;
  readonly onChoose: (prompt: SavedPrompt) => void;
}

export function PromptMenu({ current, onChoose }: PromptMenuProps) {
  const { t } = useText();
  const { prompts, save, remove } = useSavedPrompts();
  return (
    <Menu width={320} position="top-start">
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm">
          {t('playground.prompts')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <Menu.Item
          disabled={current.text.trim() === ''}
          closeMenuOnClick={false}
          onClick={() => save({ ...current, text: current.text.trim() })}
        >
          {t('playground.promptSave')}
        </Menu.Item>
        <Menu.Divider />
        {prompts.length === 0 && <Menu.Label>{t('playground.promptsNone')}</Menu.Label>}
        {prompts.map((prompt) => (
          <Group key={`${prompt.system} ${prompt.text}`} gap={0} wrap="nowrap">
            <Menu.Item onClick={() => onChoose(prompt)} miw={0} classNames={{ itemLabel: classes['promptText'] ?? '' }}>
              <Text fz="sm" truncate>
                {prompt.text}
              </Text>
              {prompt.system !== '' && (
                <Text fz="xs" c="dimmed" truncate>
                  {prompt.system}
                </Text>
              )}
            </Menu.Item>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('playground.promptRemove', { text: prompt.text.slice(0, 60) })}
              onClick={() => remove(prompt)}
            >
              <CloseIcon size={14} />
            </ActionIcon>
          </Group>
        ))}
        <Menu.Label>{t('playground.promptsKept')}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
