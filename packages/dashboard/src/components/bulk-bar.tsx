import { ActionIcon, Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { CloseIcon } from '../icons.tsx';
import { usePageText } from '../text/page-text.ts';
import classes from './bulk-bar.module.css';
import type BulkDialogOf from './bulk-dialog.tsx';
import type { BulkWrite } from './bulk-dialog.tsx';
import { texts } from './table-texts.ts';

/** An action on all selected rows. */
export type BulkAction<Row> = {
  readonly key: string;
  readonly label: string;
  /** The rows that it applies to. The other selected rows stay as they are. */
  readonly isFor?: (row: Row) => boolean;
} & (
  | { /** Runs at once, without a confirmation. */ readonly run: (rows: readonly Row[]) => void }
  | { /** One write for each row, after a confirmation. */ readonly write: BulkWrite<Row> }
);

interface BulkBarProps<Row> {
  readonly rows: readonly Row[];
  readonly actions: readonly BulkAction<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly onClear: () => void;
}

// `lazy` loses the type parameter.
const BulkDialog = lazy(() => import('./bulk-dialog.tsx')) as unknown as typeof BulkDialogOf;

interface OpenDialog<Row> {
  readonly write: BulkWrite<Row>;
  readonly rows: readonly Row[];
  readonly label: string;
}

/** The number of selected rows, and the actions on all of them. */
export default function BulkBar<Row>({ rows, actions, nameOf, onClear }: BulkBarProps<Row>) {
  const p = usePageText(texts);
  const [open, setOpen] = useState<OpenDialog<Row>>();
  const begin = (action: BulkAction<Row>) => {
    const affected = rows.filter((row) => action.isFor?.(row) ?? true);
    if ('run' in action) action.run(affected);
    else setOpen({ write: action.write, rows: affected, label: action.label });
  };
  return (
    <div className={classes['bar']}>
      <Text fz="sm" fw={560} role="status">
        {p('selected', { count: rows.length })}
      </Text>
      {actions.map((action) => (
        <Button
          key={action.key}
          size="xs"
          variant="default"
          disabled={!rows.some((row) => action.isFor?.(row) ?? true)}
          onClick={() => begin(action)}
        >
          {action.label}
        </Button>
      ))}
      <ActionIcon variant="subtle" color="gray" ml="auto" aria-label={p('clearSelection')} onClick={onClear}>
        <CloseIcon size={16} />
      </ActionIcon>
      {open && (
        <Suspense>
          <BulkDialog
            {...open}
            untouched={rows.length - open.rows.length}
            nameOf={nameOf}
            onDone={onClear}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}
