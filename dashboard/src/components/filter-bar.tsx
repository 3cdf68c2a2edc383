import { Button, Group, Select, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { CloseIcon, SearchIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import { useFilters } from './filters.ts';

export interface FilterField {
  /** The name of the query parameter. */
  readonly name: string;
  readonly label: string;
  /** The values to choose from. Without them the user types any text. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly width?: number;
  /** Called with the typed text if not all values are listed, so that the caller can load more. */
  readonly onSearch?: (text: string) => void;
}

export interface FilterBarProps {
  readonly fields: readonly FilterField[];
  /** Shown at the end, for example a time range. */
  readonly children?: ReactNode;
  /** The query parameters of `children`, which the reset button clears too. */
  readonly otherNames?: readonly string[];
}

/** Filters above a list, stored in the URL. Read them with `useFilters`. */
export function FilterBar({ fields, children, otherNames = [] }: FilterBarProps) {
  const { t } = useText();
  const names = [...fields.map(({ name }) => name), ...otherNames];
  const [values, change] = useFilters(names);
  const isFiltered = Object.keys(values).length > 0;
  return (
    <Group gap="xs" mb="md" role="search" aria-label={t('common.filters')}>
      {fields.map((field) =>
        field.options ? (
          <Select
            key={field.name}
            aria-label={field.label}
            placeholder={field.label}
            data={[...field.options]}
            value={values[field.name] ?? null}
            onChange={(value) => change({ [field.name]: value ?? undefined })}
            clearable
            searchable={field.onSearch !== undefined || field.options.length > 8}
            {...(field.onSearch && { onSearchChange: field.onSearch })}
            w={field.width ?? 160}
          />
        ) : (
          <TextFilter
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onChange={(value) => change({ [field.name]: value })}
          />
        ),
      )}
      {children}
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<CloseIcon size={14} />}
          onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {t('common.clearFilters')}
        </Button>
      )}
    </Group>
  );
}

interface TextFilterProps {
  readonly field: FilterField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Debounces the input before it reloads the list. */
function TextFilter({ field, value, onChange }: TextFilterProps) {
  const [written, setWritten] = useState(value);
  const notify = useDebouncedCallback(onChange, 300);
  useEffect(() => setWritten(value), [value]);
  return (
    <TextInput
      aria-label={field.label}
      placeholder={field.label}
      leftSection={<SearchIcon size={16} />}
      value={written}
      w={field.width ?? 200}
      onChange={({ currentTarget }) => {
        setWritten(currentTarget.value);
        notify(currentTarget.value.trim());
      }}
    />
  );
}

interface DateFieldProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange'> {
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

/** A day in a filter, with its label inside the field. */
export function DayField({ label, ...props }: DateFieldProps & { readonly label: string }) {
  return <DateField aria-label={label} leftSection={label} leftSectionWidth={48} w={172} miw={0} {...props} />;
}

/** While the user types a year, its first digits are a valid early year too; ignore it. */
function isCompleteDate(value: string): boolean {
  return value === '' || Number.parseInt(value, 10) >= 1970;
}
