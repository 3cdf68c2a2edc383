import { Alert, Button, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type BulkFailure, useBulkWrite } from '../api/bulk-write.ts';
import { WarningIcon } from '../icons.tsx';
import { useErrorText } from '../text/error-text.ts';
import { notifySuccess } from '../text/notify.ts';
import { usePageText } from '../text/page-text.ts';
import { useText } from '../text/text.tsx';
import classes from './bulk-bar.module.css';
import { Dialog, DialogFooter } from './dialog.tsx';
import { texts } from './table-texts.ts';

/** A write that is sent for each row. */
export interface BulkWrite<Row> {
  /** Asks for the confirmation, with the number of rows. */
  readonly title: (count: number) => string;
  /** The effect, and whether it can be undone. */
  readonly text: string;
  readonly isDangerous?: boolean;
  /** The endpoint that gets a POST for the row. */
  readonly path: (row: Row) => string;
  /** The paths to read again afterwards. */
  readonly changes: readonly string[];
  readonly successMessage: (count: number) => string;
}

interface BulkDialogProps<Row> {
  readonly write: BulkWrite<Row>;
  readonly label: string;
  readonly rows: readonly Row[];
  /** The number of selected rows that the action does not apply to. */
  readonly untouched: number;
  readonly nameOf: (row: Row) => string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Names the rows, runs the write for each of them, and lists those that failed, with the reason. */
export default function BulkDialog<Row>({ write, label, rows, untouched, nameOf, ...on }: BulkDialogProps<Row>) {
  const { t } = useText();
  const p = usePageText(texts);
  // The table no longer lists the rows once they are done, but the dialog still does.
  const [first] = useState(rows);
  const [names] = useState(() => first.map(nameOf));
  const { run, progress } = useBulkWrite(write);
  const isRunning = progress?.isRunning ?? false;
  const failures = progress?.failures ?? [];
  const begin = async (affected: readonly Row[]) => {
    const { failures: failed } = await run(affected);
    if (failed.length > 0) return;
    notifySuccess(write.successMessage(first.length));
    on.onDone();
    on.onClose();
  };
  const hasEnded = progress !== undefined && !isRunning;
  return (
    <Dialog title={write.title(first.length)} isLocked={isRunning} onClose={on.onClose}>
      <Stack gap="md">
        {!hasEnded && <Text>{write.text}</Text>}
        {!progress && untouched > 0 && <Text c="dimmed">{p('notFor', { count: untouched })}</Text>}
        {hasEnded ? (
          <Failures failures={failures} done={progress.done} nameOf={nameOf} />
        ) : (
          <ul className={classes['names']} tabIndex={0}>
            {names.map((name, index) => (
              <li key={index}>{name}</li>
            ))}
          </ul>
        )}
        {isRunning && progress && <Running done={progress.done + failures.length} total={progress.total} />}
        <DialogFooter>
          <Button variant="default" disabled={isRunning} onClick={on.onClose}>
            {t(hasEnded ? 'common.close' : 'common.cancel')}
          </Button>
          <Button
            color={write.isDangerous ? 'red.8' : undefined}
            loading={isRunning}
            data-autofocus
            onClick={() => void begin(hasEnded ? failures.map(({ row }) => row) : first)}
          >
            {hasEnded ? p('retryFailed') : label}
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  );
}

function Running({ done, total }: { readonly done: number; readonly total: number }) {
  const p = usePageText(texts);
  const words = p('progress', { done, total });
  return (
    <div>
      <Text fz="sm" mb={4} role="status">
        {words}
      </Text>
      <Progress value={(done / total) * 100} aria-label={words} />
    </div>
  );
}

interface FailuresProps<Row> {
  readonly failures: readonly BulkFailure<Row>[];
  readonly done: number;
  readonly nameOf: (row: Row) => string;
}

function Failures<Row>({ failures, done, nameOf }: FailuresProps<Row>) {
  const p = usePageText(texts);
  const textOf = useErrorText();
  return (
    <>
      <Alert color="red" icon={<WarningIcon />} role="alert" title={p('someFailed', { count: failures.length })}>
        {done > 0 && p('someDone', { count: done })}
      </Alert>
      <ul className={classes['names']} tabIndex={0}>
        {failures.map(({ row, error }, index) => (
          <li key={index}>
            {nameOf(row)}
            <span className={classes['reason']}>{textOf(error)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
