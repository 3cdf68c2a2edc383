import { Badge, Button, Stack, Text } from '@mantine/core';
import { type RefObject, useEffect, useRef } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { PlaygroundIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { AnswerView } from './answer-view.tsx';
import { focusComposer } from './composer.tsx';
import type { ConversationEntry } from './run.ts';
import { UserMessage } from './user-message.tsx';
import type { Conversation } from './conversation.ts';
import classes from './playground.module.css';
import { exampleTools } from './tools.ts';

export interface ConversationViewProps {
  readonly conversation: Conversation;
  /** The element that covers the end of the page. */
  readonly composer: RefObject<HTMLElement | null>;
  readonly onSample: (text: string, tools?: string) => void;
}

/** The messages, and at the end the answer that streams in. */
export function ConversationView({ conversation, composer, onSample }: ConversationViewProps) {
  const { entries } = conversation;
  const end = useFollowedEnd(entries.length, composer);
  if (entries.length === 0) return <Samples onSample={onSample} />;
  return (
    <Stack gap="lg" component="ol" className={classes['turns']}>
      {entries.map((entry, index) => (
        // Messages are only appended, so the index is a stable key.
        <li key={index}>
          <EntryView entry={entry} conversation={conversation} composer={composer} index={index} />
        </li>
      ))}
      <li ref={end} aria-hidden />
    </Stack>
  );
}

interface EntryViewProps extends Omit<ConversationViewProps, 'onSample'> {
  readonly entry: ConversationEntry;
  readonly index: number;
}

function EntryView({ entry, conversation, composer, index }: EntryViewProps) {
  const { t } = useText();
  const isLast = index === conversation.entries.length - 1;
  if (entry.role === 'answer') {
    return (
      <AnswerView
        run={entry.run}
        isLast={isLast}
        onResults={(results) => {
          focusComposer(composer.current);
          conversation.answerCalls(results);
        }}
        onRetry={() => {
          focusComposer(composer.current);
          conversation.retry();
        }}
      />
    );
  }
  if (entry.role === 'user') {
    return (
      <UserMessage
        text={entry.text}
        onChange={(text) => {
          focusComposer(composer.current);
          conversation.change(index, text);
        }}
      />
    );
  }
  return (
    <Stack gap="xs">
      {entry.results.map(({ callId, name, content }) => (
        <div key={callId} className={classes['said']}>
          <Text fz="xs" c="dimmed" mb={4}>
            {t('playground.toolResult', { name })}
          </Text>
          <div className={classes['code']}>{content}</div>
        </div>
      ))}
    </Stack>
  );
}

function Samples({ onSample }: Pick<ConversationViewProps, 'onSample'>) {
  const { t } = useText();
  const tool = t('playground.sampleTool');
  return (
    <EmptyState
      icon={<PlaygroundIcon size={24} />}
      title={t('playground.emptyTitle')}
      text={t('playground.emptyText')}
      action={
        <Stack gap="xs" align="stretch" aria-label={t('playground.tryThis')} role="group">
          {[t('playground.sampleExplain'), t('playground.sampleWrite')].map((text) => (
            <Button key={text} variant="default" fw={400} onClick={() => onSample(text)}>
              {text}
            </Button>
          ))}
          <Button
            variant="default"
            fw={400}
            onClick={() => onSample(tool, exampleTools)}
            rightSection={<Badge color="gray">{t('playground.withTool')}</Badge>}
          >
            {tool}
          </Button>
        </Stack>
      }
    />
  );
}

/**
 * Keeps the end of a conversation visible above the composer while the user is at the end, even if content above it
 * grows. If the user has scrolled up, the position stays until the next message.
 */
function useFollowedEnd(messageCount: number, composer: RefObject<HTMLElement | null>) {
  const end = useRef<HTMLLIElement>(null);
  const isThere = messageCount > 0;
  useEffect(() => {
    if (messageCount > 0) showEnd(end.current, composer.current);
  }, [messageCount, composer]);
  useEffect(() => {
    const [mark, over] = [end.current, composer.current];
    if (!isThere || !mark?.parentElement || !over) return undefined;
    let isFollowed = true;
    let before = window.scrollY;
    const look = () => {
      // New text may have pushed the end out of view. Only scrolling up stops following.
      if (hiddenPx(mark, over) < nearPx) isFollowed = true;
      else if (window.scrollY < before) isFollowed = false;
      before = window.scrollY;
    };
    const watcher = new ResizeObserver(() => {
      if (isFollowed) showEnd(mark, over);
    });
    watcher.observe(mark.parentElement);
    watcher.observe(over);
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      window.removeEventListener('scroll', look);
    };
  }, [isThere, composer]);
  return end;
}

/** The end may be hidden by this much and still count as visible: scroll positions are seldom exact. */
const nearPx = 60;
const gapPx = 24;

function showEnd(mark: HTMLElement | null, composer: HTMLElement | null): void {
  if (!mark || !composer) return;
  const hidden = hiddenPx(mark, composer);
  if (hidden > 0) window.scrollBy({ top: hidden, behavior: 'instant' });
}

/** How far the end is below the visible area. */
function hiddenPx(mark: HTMLElement, composer: HTMLElement): number {
  const isOver = composer.dataset['sticky'] !== undefined;
  const covered = isOver ? composer.offsetHeight + Number.parseFloat(getComputedStyle(composer).bottom) : 0;
  return mark.getBoundingClientRect().bottom + gapPx - (window.innerHeight - covered);
}
