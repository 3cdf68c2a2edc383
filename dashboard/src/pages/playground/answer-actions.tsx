import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.tsx';
import { RefreshIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { PlaygroundAnswer } from './answer.ts';
import { textIn } from './turn.ts';

export interface AnswerActionsProps {
  readonly answer: PlaygroundAnswer;
  /** Asks again in its place; only the last one can be. */
  readonly onRetry?: () => void;
}

/** What one can do with an answer: take it along, or have another one. */
export function AnswerActions({ answer, onRetry }: AnswerActionsProps) {
  const { t } = useText();
  const text = textIn(answer.parts);
  return (
    <Group gap={0} mx={-8} my={-8}>
      {text !== '' && <CopyButton text={text} label={t('playground.copyAnswer')} />}
      {onRetry && (
        <Tooltip label={t('playground.regenerate')}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('playground.regenerate')} onClick={onRetry}>
            <RefreshIcon />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
