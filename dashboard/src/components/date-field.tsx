import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';

export interface DateFieldProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange'> {
  readonly type?: 'date' | 'datetime-local';
  /** The value in the URL, in the format of an input element. Empty if not set. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/**
 * A date, or date and time, stored in the URL. The field keeps its own text while the user types: the URL changes a
 * little later and would overwrite newer input.
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
        if (isCompleteDate(currentTarget.value)) onChange(currentTarget.value);
      }}
    />
  );
}

/** While the user types a year, its first digits are a valid early year too; ignore it. */
function isCompleteDate(value: string): boolean {
  return value === '' || Number.parseInt(value, 10) >= 1970;
}
