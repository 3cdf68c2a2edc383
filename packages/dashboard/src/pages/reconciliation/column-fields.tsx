import { Anchor, Checkbox, MultiSelect, Select, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { InvoiceColumns, InvoiceField } from 'chat-gateway-figures/invoice/invoice-columns.ts';
import type { Table } from 'chat-gateway-figures/invoice/invoice-table.ts';
import { FactList } from '../../components/fact-list.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { usePageText } from '../../text/page-text.ts';
import { chosenColumns, type InvoiceDraft, mappableKeys } from './invoice-draft.ts';
import classes from './reconciliation.module.css';
import { texts } from './texts.ts';

interface ColumnFieldsProps {
  readonly draft: InvoiceDraft;
  readonly onChange: (draft: InvoiceDraft) => void;
  /** Whether a needed column was not found. */
  readonly isIncomplete: boolean;
  /** Number of credentials of the upstream. */
  readonly credentials: number;
}

const fields = ['day', 'model', 'input', 'cached', 'output', 'cost', 'currency', 'key'] as const;
const sums: readonly InvoiceField[] = ['input', 'cached', 'output', 'cost'];

/** The columns of the file: a list if they were recognised, otherwise a form. Below it, the first rows. */
export function ColumnFields({ draft, onChange, isIncomplete, credentials }: ColumnFieldsProps) {
  const t = usePageText(texts);
  // A form that was needed stays open when the last needed column is selected.
  const [isOpen, { open }] = useDisclosure(isIncomplete);
  const { columns, table } = draft;
  const isForm = isOpen || isIncomplete;
  const change = (field: InvoiceField, text: string | undefined) => {
    const { [field]: _old, ...others } = columns;
    // Another column has other keys.
    const keys = field === 'key' ? undefined : draft.keys;
    onChange({ ...draft, keys, columns: text === undefined ? others : { ...others, [field]: text } });
  };
  return (
    <SectionCard
      title={t('columns')}
      text={isForm ? `${t('columnsMissing')} ${t('columnsHelp')}` : t('columnsFound')}
      action={
        !isForm && (
          <Anchor component="button" type="button" fz="sm" onClick={open}>
            {t('change')}
          </Anchor>
        )
      }
    >
      <Stack gap="md">
        {isForm ? (
          <div className={classes['fields']}>
            {fields.map((field) => (
              <ColumnField key={field} field={field} table={table} columns={columns} onChange={change} />
            ))}
          </div>
        ) : (
          <FactList
            facts={fields
              .filter((field) => columns[field] !== undefined)
              .map((field) => ({ label: t(field), value: chosenColumns(columns[field], table).parts.join(' + ') }))}
          />
        )}
        <KeyFields draft={draft} onChange={onChange} credentials={credentials} />
        <Preview table={table} />
      </Stack>
    </SectionCard>
  );
}

interface ColumnFieldProps {
  readonly field: (typeof fields)[number];
  readonly table: Table;
  readonly columns: InvoiceColumns;
  readonly onChange: (field: InvoiceField, text: string | undefined) => void;
}

function ColumnField({ field, table, columns, onChange }: ColumnFieldProps) {
  const t = usePageText(texts);
  const { parts, isCents } = chosenColumns(columns[field], table);
  const data = [...new Set(table.columns.filter((name) => name !== ''))];
  const shared = { label: t(field), data, searchable: true, clearable: true };
  if (!sums.includes(field))
    return (
      <Select
        {...shared}
        placeholder={t('none')}
        value={parts[0] ?? null}
        onChange={(name) => onChange(field, name ?? undefined)}
      />
    );
  const changed = (names: readonly string[], hasCents: boolean) =>
    onChange(field, names.length === 0 ? undefined : names.join('+') + (hasCents ? '/100' : ''));
  return (
    <div>
      <MultiSelect
        {...shared}
        placeholder={parts.length === 0 ? t('none') : ''}
        value={[...parts]}
        onChange={(names) => changed(names, isCents)}
      />
      {field === 'cost' && parts.length > 0 && (
        <Checkbox
          mt="xs"
          size="xs"
          label={t('cents')}
          checked={isCents}
          onChange={({ currentTarget }) => changed(parts, currentTarget.checked)}
        />
      )}
    </div>
  );
}

/** The credential of each key. Keys that other programs use are left out. */
function KeyFields({ draft, onChange, credentials }: Omit<ColumnFieldsProps, 'isIncomplete'>) {
  const t = usePageText(texts);
  const names = mappableKeys(draft);
  if (names.length === 0 || credentials === 0) return null;
  const { keys } = draft;
  const options = Array.from({ length: credentials }, (_, index) => ({
    value: String(index),
    label: t('credential', { number: index + 1 }),
  }));
  const choose = (name: string, value: string | null) => {
    const next = new Map(keys);
    if (value === null) next.delete(name);
    else next.set(name, Number(value));
    onChange({ ...draft, keys: next });
  };
  return (
    <div>
      <Switch
        label={t('byKey')}
        description={t('byKeyHelp')}
        checked={keys !== undefined}
        onChange={({ currentTarget }) => onChange({ ...draft, keys: currentTarget.checked ? new Map() : undefined })}
      />
      {keys && (
        <div className={classes['fields']}>
          {names.map((name) => (
            <Select
              key={name}
              mt="sm"
              label={name}
              data={options}
              placeholder={t('leftOut')}
              value={keys.has(name) ? String(keys.get(name)) : null}
              onChange={(value) => choose(name, value)}
              clearable
            />
          ))}
        </div>
      )}
    </div>
  );
}

const previewRows = 3;

function Preview({ table }: { readonly table: Table }) {
  const t = usePageText(texts);
  const columns = table.columns.filter((name) => name !== '');
  const rows = table.rows.slice(0, previewRows).map((row, index) => ({ row, number: table.firstRow + index }));
  return (
    <div>
      <Text fz="sm" fw={560} mb={4}>
        {t('preview')}
      </Text>
      <div className={classes['scroll']} tabIndex={0} role="region" aria-label={t('preview')}>
        <table className={classes['preview']}>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, number }) => (
              <tr key={number}>
                {columns.map((name) => (
                  <td key={name}>{row[name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
