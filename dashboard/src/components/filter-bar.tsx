import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { CloseIcon, SearchIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import { useFilters } from './filters.ts';

export interface FilterField {
  /** Its name in the query string. */
  readonly name: string;
  readonly label: string;
  /** Offered values; without them any text may be typed. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly width?: number;
  /** Told what is typed where not all values are offered, so that more of them can be. */
  readonly onSearch?: (text: string) => void;
}

export interface FilterBarProps {
  readonly fields: readonly FilterField[];
  /** Stands at the end, such as a range of time. */
  readonly children?: ReactNode;
  /** What `children` keep in the address: it is cleared with the rest. */
  readonly besides?: readonly string[];
}

/** Filters over a list, kept in the address. Read them with `useFilters`. */
export function FilterBar({ fields, children, besides = [] }: FilterBarProps) {
  const { t } = useText();
  const names = [...fields.map(({ name }) => name), ...besides];
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

/** Waits until the typing pauses before the list is asked again. */
function TextFilter({ field, value, onChange }: TextFilterProps) {
  const [written, setWritten] = useState(value);
  const tell = useDebouncedCallback(onChange, 300);
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
        tell(currentTarget.value.trim());
      }}
    />
  );
}
