import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { CloseIcon } from '../../icons.tsx';
import { onStorageChange, recall, remember } from '../../remembered.ts';
import { useText } from '../../text/text.tsx';
import { readPrompts, type SavedPrompt } from './saved-prompt.ts';
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

/** Beyond it, the oldest is dropped. */
const savedMax = 50;

/** The prompts that a user saved in this browser, newest first. Each user has their own. */
function useSavedPrompts() {
  const { user } = useSession();
  const name = `prompts-${user.id}`;
  const [prompts, setPrompts] = useState(() => readPrompts(recall(name)));
  useEffect(() => onStorageChange(name, (stored) => setPrompts(readPrompts(stored))), [name]);
  const keep = (changed: readonly SavedPrompt[]) => {
    remember(name, changed.length === 0 ? null : JSON.stringify(changed));
    setPrompts(changed);
  };
  const without = ({ text, system }: SavedPrompt) =>
    prompts.filter((each) => each.text !== text || each.system !== system);
  return {
    prompts,
    save: (prompt: SavedPrompt) => keep([prompt, ...without(prompt)].slice(0, savedMax)),
    remove: (prompt: SavedPrompt) => keep(without(prompt)),
  };
}
