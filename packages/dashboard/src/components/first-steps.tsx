import { ActionIcon, Card, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { CheckIcon, CloseIcon } from '../icons.tsx';
import { recall, remember } from '../remembered.ts';
import { useText } from '../text/text.tsx';
import classes from './first-steps.module.css';
import { ViewAnchor } from './view-links.tsx';

export interface FirstStep {
  readonly title: string;
  readonly text: string;
  readonly to: string;
  readonly isDone: boolean;
}

export interface FirstStepsProps {
  /** The storage name under which the browser remembers that the user dismissed the steps. */
  readonly name: string;
  /** Undefined until it is known which steps are done. */
  readonly steps: readonly FirstStep[] | undefined;
}

/** The setup steps in one line, so that they do not push the page down. Steps are checked automatically; the card disappears after the last one. */
export function FirstSteps({ name, steps }: FirstStepsProps) {
  const { t } = useText();
  const [isAway, setAway] = useState(() => recall(`steps-${name}`) === 'away');
  if (isAway || !steps || steps.every(({ isDone }) => isDone)) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Card component="section" aria-label={t('steps.title')} padding="sm" className={classes['card']}>
      <div className={classes['title']}>
        <strong>{t('steps.title')}</strong>
        <Text span fz="sm" c="dimmed">
          {t('steps.done', { done, all: steps.length })}
        </Text>
      </div>
      <ol className={classes['steps']}>
        {steps.map(({ title, text, to, isDone }) => (
          <li key={title} className={classes['step']} data-done={isDone || undefined}>
            <span className={classes['tick']} role="img" aria-label={t(isDone ? 'steps.isDone' : 'steps.isOpen')}>
              {isDone && <CheckIcon size={12} />}
            </span>
            {isDone ? (
              <Text span fz="sm" c="dimmed">
                {title}
              </Text>
            ) : (
              <Tooltip label={text}>
                <ViewAnchor to={to} fz="sm">
                  {title}
                </ViewAnchor>
              </Tooltip>
            )}
          </li>
        ))}
      </ol>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('steps.hide')}
        onClick={() => {
          remember(`steps-${name}`, 'away');
          setAway(true);
        }}
      >
        <CloseIcon size={16} />
      </ActionIcon>
    </Card>
  );
}
