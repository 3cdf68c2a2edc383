import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../text/text.tsx';
import classes from './upstreams.module.css';

export interface KeysFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The usual environment variable, for the example. */
  readonly variable: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly label?: string;
  readonly isRequired?: boolean;
}

/** Secrets, masked while typed. One per line, so that several keys can share the load. */
export function KeysField({
  value,
  onChange,
  variable,
  description,
  error,
  label,
  isRequired = false,
}: KeysFieldProps) {
  const { t } = useText();
  return (
    <Textarea
      label={label ?? t('upstreams.keys')}
      description={description ?? t('upstreams.keysHelp', { reference: `\${${variable}}` })}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      withAsterisk={isRequired}
      autosize
      minRows={1}
      maxRows={8}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes['secret'] ?? '' }}
    />
  );
}
