import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { CheckIcon, CopyIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { t } = useText();
  const clipboard = useClipboard({ timeout: 2000 });
  const words = clipboard.copied ? t('common.copied') : (label ?? t('common.copy'));
  return (
    <Tooltip label={words}>
      <ActionIcon
        variant="subtle"
        color={clipboard.copied ? 'accent' : 'gray'}
        size="lg"
        aria-label={words}
        onClick={() => clipboard.copy(text)}
      >
        {clipboard.copied ? <CheckIcon /> : <CopyIcon />}
      </ActionIcon>
    </Tooltip>
  );
}
