import { Badge, Button, type ButtonProps, Drawer, Select, Stack, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { CloseIcon, FilterIcon, SearchIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './filter-bar.module.css';
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
  /** Stays in the page on a phone. */
  readonly isSearch?: boolean;
  /** Only on a phone, for an order that is chosen in the table header elsewhere. */
  readonly isPhoneOnly?: boolean;
}

export interface FilterBarProps {
  readonly fields: readonly FilterField[];
  /** Shown after the fields, for example a time range. */
  readonly children?: ReactNode;
  /** The query parameters of `children`, which the reset button clears too. */
  readonly otherNames?: readonly string[];
  /** Controls of the whole list, at the end of the line. */
  readonly tools?: ReactNode;
  /** More controls for the sheet on a phone. */
  readonly sheet?: ReactNode;
}

/** Filters above a list, stored in the URL. Read them with `useFilters`. On a phone they are in a sheet. */
export function FilterBar({ fields, children, otherNames = [], tools, sheet }: FilterBarProps) {
  const { t } = useText();
  const isPhone = useIsPhone();
  const shown = fields.filter(({ isPhoneOnly = false }) => isPhone || !isPhoneOnly);
  const filtering = fields.filter(({ isPhoneOnly = false }) => !isPhoneOnly).map(({ name }) => name);
  const names = [...filtering, ...otherNames];
  const [values] = useFilters(names);
  const searches = shown.filter(({ isSearch = false }) => isPhone && isSearch);
  const others = shown.filter((field) => !searches.includes(field));
  const clear = Object.keys(values).length > 0 && <ClearFilters names={names} variant="subtle" color="gray" />;
  const rest = (
    <>
      {others.map((field) => (
        <Field key={field.name} field={field} isWide={isPhone} />
      ))}
      {children}
    </>
  );
  const hasSheet = isPhone && (others.length > 0 || sheet !== undefined);
  return (
    <div className={classes['bar']} role="search" aria-label={t('common.filters')}>
      {hasSheet && (
        <FilterSheet count={countOf(Object.keys(values), searches)}>
          {rest}
          {sheet}
          {clear}
        </FilterSheet>
      )}
      {searches.map((field) => (
        <Field key={field.name} field={field} isWide />
      ))}
      {!hasSheet && rest}
      {!hasSheet && clear}
      {tools && <div className={classes['tools']}>{tools}</div>}
    </div>
  );
}

/** Removes filters from the URL. Also the action of a list that is empty because of them. */
export function ClearFilters({ names, ...props }: ButtonProps & { readonly names: readonly string[] }) {
  const { t } = useText();
  const [, change] = useFilters(names);
  return (
    <Button
      variant="default"
      leftSection={<CloseIcon size={14} />}
      {...props}
      onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}
    >
      {t('common.clearFilters')}
    </Button>
  );
}

/** Whether the window is too narrow for a table. */
export function useIsPhone(): boolean {
  return useMediaQuery('(width < 720px)', undefined, { getInitialValueInEffect: false });
}

/** The filters in use. The two ends of a time range are one filter. */
function countOf(names: readonly string[], searches: readonly FilterField[]): number {
  const inSheet = names.filter((used) => !searches.some(({ name }) => name === used));
  return new Set(inSheet.map((name) => (ends.has(name) ? 'range' : name))).size;
}

const ends: ReadonlySet<string> = new Set(['since', 'until', 'from', 'to']);

/** A button with the number of filters in use, and the sheet that it opens. */
function FilterSheet({ count, children }: { readonly count: number; readonly children: ReactNode }) {
  const { t } = useText();
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        px="sm"
        className={classes['open']}
        leftSection={<FilterIcon size={16} />}
        rightSection={count > 0 && <Badge circle>{count}</Badge>}
        onClick={open}
      >
        {t('common.filters')}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="bottom"
        size="auto"
        classNames={{ content: classes['sheet'] ?? '' }}
        title={t('common.filters')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <Stack gap="sm">
          {children}
          <Button onClick={close}>{t('common.done')}</Button>
        </Stack>
      </Drawer>
    </>
  );
}

/** One filter. In a sheet it is as wide as the screen. */
function Field({ field, isWide }: { readonly field: FilterField; readonly isWide: boolean }) {
  const [values, change] = useFilters([field.name]);
  const { name, label, options, onSearch } = field;
  if (!options) {
    return (
      <TextFilter
        field={field}
        isWide={isWide}
        value={values[name] ?? ''}
        onChange={(value) => change({ [name]: value })}
      />
    );
  }
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={[...options]}
      value={values[name] ?? null}
      onChange={(value) => change({ [name]: value ?? undefined })}
      clearable
      searchable={onSearch !== undefined || options.length > 8}
      {...(onSearch && { onSearchChange: onSearch })}
      w={isWide ? '100%' : (field.width ?? 160)}
    />
  );
}

interface TextFilterProps {
  readonly field: FilterField;
  readonly isWide: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Debounces the input before it reloads the list. */
function TextFilter({ field, isWide, value, onChange }: TextFilterProps) {
  const [written, setWritten] = useState(value);
  const notify = useDebouncedCallback(onChange, 300);
  useEffect(() => setWritten(value), [value]);
  return (
    <TextInput
      aria-label={field.label}
      placeholder={field.label}
      leftSection={<SearchIcon size={16} />}
      value={written}
      {...(isWide ? { flex: '1 1 0' } : { w: field.width ?? 200 })}
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
