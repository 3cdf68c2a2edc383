import { useRef, useState } from 'react';
import type { BulkAction } from './bulk-bar.tsx';

/** Lets the user select rows and act on all of them. */
export interface TableSelection<Row> {
  /** The name of a row in a confirmation. */
  readonly nameOf: (row: Row) => string;
  readonly actions: readonly BulkAction<Row>[];
}

export interface SelectedRows<Row> {
  /** The selected rows that the table still has. */
  readonly rows: readonly Row[];
  readonly has: (key: string) => boolean;
  /** `isRange`: also all rows between this one and the last one. */
  readonly toggle: (key: string, isSelected: boolean, isRange: boolean) => void;
  readonly toggleAll: (areSelected: boolean) => void;
}

export function useSelectedRows<Row>(
  rows: readonly Row[] | undefined,
  rowKey: (row: Row) => string,
): SelectedRows<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  const all = (rows ?? []).map(rowKey);
  return {
    rows: (rows ?? []).filter((row) => keys.has(rowKey(row))),
    has: (key) => keys.has(key),
    toggle: (key, isSelected, isRange) => {
      const changed = new Set(keys);
      for (const each of isRange ? between(all, last.current ?? key, key) : [key]) {
        if (isSelected) changed.add(each);
        else changed.delete(each);
      }
      last.current = key;
      setKeys(changed);
    },
    toggleAll: (areSelected) => {
      last.current = undefined;
      setKeys(new Set(areSelected ? all : []));
    },
  };
}

/** The keys from one to the other, both included, in either direction. */
export function between(keys: readonly string[], one: string, other: string): readonly string[] {
  const [from, to] = [keys.indexOf(one), keys.indexOf(other)].toSorted((a, b) => a - b);
  if (from === undefined || to === undefined || from < 0) return [other];
  return keys.slice(from, to + 1);
}
