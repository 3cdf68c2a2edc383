import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';

export interface DateFieldProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange'> {
  readonly type?: 'date' | 'datetime-local';
  /** What the address says, as fields of forms write it; empty where it says nothing. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/**
 * A day, or a moment, that is kept in the address. It holds by itself what is being typed: the address says it a little
 * later, and what it does not say yet would be taken from under the fingers.
 */
export function DateField({ type = 'date', value, onChange, ...rest }: DateFieldProps) {
  const [written, setWritten] = useState(value);
  useEffect(() => setWritten(value), [value]);
  return (
    <TextInput
      {...rest}
      type={type}
      value={written}
      onChange={({ currentTarget }) => {
        setWritten(currentTarget.value);
        if (isWhole(currentTarget.value)) onChange(currentTarget.value);
      }}
    />
  );
}

/** The first digits of a year that is being typed are a year too, of long ago. */
function isWhole(value: string): boolean {
  return value === '' || Number.parseInt(value, 10) >= 1970;
}
