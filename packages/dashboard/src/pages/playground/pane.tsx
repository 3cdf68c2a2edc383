import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useModels } from '../../api/own-account.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FileIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import type { PlaygroundMessage } from './answer.ts';
import { ConversationView, type ConversationViewProps } from './conversation-view.tsx';
import { messagesOf } from './conversation.ts';
import classes from './playground.module.css';
import type { ConversationEntry } from './run.ts';
import type { Settings } from './settings.ts';
import { snippetsOf } from './snippets.ts';
import type { Frame } from './stream-reader.ts';

export type PaneView = 'conversation' | 'frames' | 'code';

export interface PaneProps extends ConversationViewProps {
  readonly view: PaneView;
  readonly settings: Settings;
  /** Whether another pane is next to it, so that it shows the model name. */
  readonly isNamed: boolean;
}

/** One conversation, as messages, raw frames or code. */
export function Pane({ view, settings, isNamed, ...shown }: PaneProps) {
  const { conversation } = shown;
  return (
    <section className={classes['pane']} aria-label={settings.model}>
      {isNamed && <h2 className={classes['paneName']}>{settings.model}</h2>}
      {view === 'conversation' && <ConversationView {...shown} />}
      {view === 'frames' && <FramesView frames={conversation.run?.frames ?? []} />}
      {view === 'code' && <CodeView settings={settings} entries={conversation.entries} />}
    </section>
  );
}

/** Code for the request that would repeat the last answer. */
function CodeView({
  settings,
  entries,
}: {
  readonly settings: Settings;
  readonly entries: readonly ConversationEntry[];
}) {
  const { t } = useText();
  const { data: models } = useModels();
  const messages = messagesOf(entries.at(-1)?.role === 'answer' ? entries.slice(0, -1) : entries);
  const greeting: PlaygroundMessage = { role: 'user', text: t('playground.sampleExplain') };
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t('playground.codeHelp')}</Text>
      {models ? (
        <CodeBlock
          snippets={snippetsOf(settings, messages.length === 0 ? [greeting] : messages, models.base_urls)}
          remembered="snippet"
        />
      ) : (
        <Skeleton height={240} radius="md" />
      )}
    </Stack>
  );
}

/** More at once would slow the page down; copying includes all of them. */
const shownMax = 500;

/** The raw frames of the stream, with their times. */
function FramesView({ frames }: { readonly frames: readonly Frame[] }) {
  const { t } = useText();
  const format = useFormat();
  if (frames.length === 0) {
    return (
      <EmptyState
        icon={<FileIcon size={24} />}
        title={t('playground.framesEmptyTitle')}
        text={t('playground.framesEmptyText')}
      />
    );
  }
  const earlier = Math.max(0, frames.length - shownMax);
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Text fz="sm" c="dimmed">
          {t('playground.framesCount', { count: frames.length })}
        </Text>
        <CopyButton label={t('playground.framesCopy')} text={frames.map(({ text }) => `${text}\n\n`).join('')} />
      </Group>
      <ol className={classes['frames']} start={earlier + 1} tabIndex={0} aria-label={t('playground.viewFrames')}>
        {earlier > 0 && <li className={classes['earlier']}>{t('playground.framesEarlier', { count: earlier })}</li>}
        {frames.slice(earlier).map(({ text, atMs }, index) => (
          <li key={earlier + index} className={classes['frame']}>
            <span className={classes['frameTime']}>{format.duration(atMs)}</span>
            <code>{text}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}
