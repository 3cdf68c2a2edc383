import { Button, Group, Text, Textarea } from '@mantine/core';
import { useText } from '../../text/text.tsx';
import { callsOf } from './answer.ts';
import type { Conversation } from './conversation.ts';
import classes from './playground.module.css';

export interface ComposerProps {
  readonly conversation: Conversation;
  /** Whether there is a key and a model to send with. */
  readonly isReady: boolean;
  readonly onSend: () => void;
}

/** Where one writes. While an answer comes, its button stops it. */
export function Composer({ conversation, isReady, onSend }: ComposerProps) {
  const { t } = useText();
  const { draft, isRunning, run } = conversation;
  const awaitsResults = run?.state === 'whole' && callsOf(run.answer).length > 0;
  const canSend = isReady && !isRunning && !awaitsResults && draft.trim() !== '';
  return (
    <form
      className={classes['composer']}
      data-ready={isReady || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend();
      }}
    >
      <Textarea
        aria-label={t('playground.message')}
        placeholder={t('playground.messagePlaceholder')}
        variant="unstyled"
        autosize
        minRows={2}
        maxRows={10}
        value={draft}
        onChange={({ currentTarget }) => conversation.setDraft(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (canSend) onSend();
        }}
      />
      <Group justify="space-between" wrap="nowrap">
        <Text fz="xs" c="dimmed">
          {t(awaitsResults ? 'playground.answerCallsFirst' : 'playground.sendHint')}
        </Text>
        {isRunning ? (
          <Button color="red.8" onClick={conversation.stop}>
            {t('playground.stopAnswer')}
          </Button>
        ) : (
          <Button type="submit" disabled={!canSend}>
            {t('playground.send')}
          </Button>
        )}
      </Group>
    </form>
  );
}
