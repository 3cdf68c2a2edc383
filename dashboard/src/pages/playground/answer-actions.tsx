import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { CopyButton } from '../../components/copy-field.tsx';
import { RefreshIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { PlaygroundAnswer } from './answer.ts';
import { textIn } from './turn.ts';

export interface AnswerActionsProps {
  readonly answer: PlaygroundAnswer;
  /** Requests the answer again and replaces it. Only for the last answer. */
  readonly onRetry?: () => void;
}

/** The actions of an answer: copy it, or generate it again. */
export function AnswerActions({ answer, onRetry }: AnswerActionsProps) {
  const { t } = useText();
  const text = textIn(answer.parts);
  return (
    <Group gap={0} mx={-8} my={-8}>
      {text !== '' && <CopyButton text={text} label={t('playground.copyResponse')} />}
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
