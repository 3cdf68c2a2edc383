import { Button, Group, Text, Textarea } from '@mantine/core';
import type { RefObject } from 'react';
import { useText } from '../../text/text.tsx';
import classes from './playground.module.css';
import { PromptMenu } from './prompt-menu.tsx';
import type { SavedPrompt } from './saved-prompt.ts';

export interface ComposerProps {
  readonly formRef: RefObject<HTMLFormElement | null>;
  /** The unsent input. */
  readonly draft: SavedPrompt;
  readonly onDraft: (draft: Partial<SavedPrompt>) => void;
  readonly isRunning: boolean;
  readonly awaitsResults: boolean;
  /** Whether a model is chosen. */
  readonly isReady: boolean;
  /** Whether it stays visible while the conversation scrolls. */
  readonly isSticky: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** The input field. While an answer streams in, its button stops it. */
export function Composer(props: ComposerProps) {
  const { formRef, draft, onDraft, isRunning, awaitsResults, isReady, isSticky, onSend, onStop } = props;
  const { t } = useText();
  const text = draft.text.trim();
  const canSend = isReady && !isRunning && !awaitsResults && text !== '';
  return (
    <form
      ref={formRef}
      className={classes['composer']}
      data-sticky={(isReady && isSticky) || undefined}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend(text);
      }}
    >
      <Textarea
        aria-label={t('playground.message')}
        placeholder={t('playground.messagePlaceholder')}
        variant="unstyled"
        autosize
        minRows={2}
        maxRows={10}
        value={draft.text}
        onChange={({ currentTarget }) => onDraft({ text: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (canSend) onSend(text);
        }}
      />
      <Group justify="space-between" wrap="nowrap">
        <Group gap="sm" miw={0}>
          <PromptMenu current={draft} onChoose={onDraft} />
          <Text fz="xs" c="dimmed">
            {t(awaitsResults ? 'playground.answerCallsFirst' : 'playground.sendHint')}
          </Text>
        </Group>
        {isRunning ? (
          <Button
            color="red.8"
            flex="none"
            onClick={() => {
              focusComposer(formRef.current);
              onStop();
            }}
          >
            {t('playground.stopResponse')}
          </Button>
        ) : (
          <Button type="submit" flex="none" disabled={!canSend}>
            {t('playground.send')}
          </Button>
        )}
      </Group>
    </form>
  );
}

/** Moves the keyboard focus to the composer, for buttons that disappear when pressed. */
export function focusComposer(composer: HTMLElement | null): void {
  // Not after a tap: on a phone, focusing the field would open the on-screen keyboard.
  if (!document.activeElement?.matches(':focus-visible')) return;
  composer?.querySelector('textarea')?.focus({ preventScroll: true });
}
