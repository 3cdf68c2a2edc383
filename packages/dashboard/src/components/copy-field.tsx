import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useId } from 'react';
import { CheckIcon, CopyIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './copy-field.module.css';

export interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  /** Adds a note that the value is not shown again. */
  readonly once?: boolean;
  /** Shows the complete value, on several lines if needed, for values that a user may have to type elsewhere. */
  readonly isWrapped?: boolean;
}

/** A value to copy, such as a secret that is shown once. */
export function CopyField({ label, value, once = false, isWrapped = false }: CopyFieldProps) {
  const { t } = useText();
  const id = useId();
  return (
    <div>
      <Text component="label" htmlFor={id} fz="sm" fw={500}>
        {label}
      </Text>
      <div className={classes['field']}>
        {isWrapped ? (
          <output id={id} className={classes['wrapped']}>
            {value}
          </output>
        ) : (
          <input
            id={id}
            readOnly
            // This field replaces the form that had the focus, so it takes the focus.
            autoFocus={once}
            value={value}
            className={classes['input']}
            onFocus={({ target }) => target.select()}
          />
        )}
        <CopyButton text={value} />
      </div>
      {once && (
        <Text fz="xs" c="dimmed" mt={4}>
          {t('common.showOnce')}
        </Text>
      )}
    </div>
  );
}

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
