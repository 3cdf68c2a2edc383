import { Stack } from '@mantine/core';
import { CodeBlock } from '../../components/code-block.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead } from './card-head.tsx';

/** Shown before the first owner exists: how to create one. */
export function SetupNeeded() {
  const { t } = useText();
  return (
    <Stack gap="lg">
      <CardHead title={t('signIn.setupNeeded')} text={t('signIn.setupNeededText')} />
      <CodeBlock snippets={[{ name: 'Shell', code: 'npx chat-gateway console-link' }]} />
    </Stack>
  );
}
