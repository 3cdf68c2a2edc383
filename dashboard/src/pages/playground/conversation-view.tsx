import { Badge, Button, Stack, Text } from '@mantine/core';
import type { RefObject } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { PlaygroundIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { AnswerView } from './answer-view.tsx';
import { UserMessage } from './said-turn.tsx';
import type { Conversation } from './conversation.ts';
import type { ConversationEntry } from './entry.ts';
import { useFollowedEnd } from './followed-end.ts';
import { focusComposer } from './go-on.ts';
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
