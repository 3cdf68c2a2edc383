import { Skeleton, Stack, Text } from '@mantine/core';
import { CodeBlock } from '../../components/code-block.tsx';
import { useText } from '../../text/text.tsx';
import { messagesOf } from './conversation.ts';
import type { ConversationEntry } from './entry.ts';
import { useModels } from './models.ts';
import type { Settings } from './settings.ts';
import { snippetsOf } from './snippets.ts';
import type { PlaygroundMessage } from './turn.ts';

/** Code for the request that would repeat the last answer. */
export function CodeView({
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
