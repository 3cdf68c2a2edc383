import { Text } from '@mantine/core';
import { useId } from 'react';
import { useText } from '../text/text.tsx';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-field.module.css';

export interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  /** Says below that the value will not be shown again. */
  readonly once?: boolean;
  /** Shows all of it, over several lines if need be: something that may have to be typed elsewhere. */
  readonly isWhole?: boolean;
}

/** A value to take away, such as a secret that is shown once. */
export function CopyField({ label, value, once = false, isWhole = false }: CopyFieldProps) {
  const { t } = useText();
  const id = useId();
  return (
    <div>
      <Text component="label" htmlFor={id} fz="sm" fw={500}>
        {label}
      </Text>
      <div className={classes['field']}>
        {isWhole ? (
          <output id={id} className={classes['whole']}>
            {value}
          </output>
        ) : (
          <input
            id={id}
            readOnly
            // It takes the place of what was asked: whoever was there would be nowhere, and is where they can copy.
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
