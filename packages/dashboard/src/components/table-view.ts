import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { recall, remember } from '../remembered.ts';
import type { Column } from './table-column.ts';

export type Density = 'compact' | 'comfortable';

const densityChanged = 'gateway.density';

/** The height of rows, which the user chooses once for all tables. */
export function useDensity(): readonly [Density, (density: Density) => void] {
  const [density, setDensity] = useState(rememberedDensity);
  useEffect(() => {
    const listen = () => setDensity(rememberedDensity());
    addEventListener(densityChanged, listen);
    return () => removeEventListener(densityChanged, listen);
  }, []);
  const choose = (chosen: Density) => {
    remember('density', chosen === 'compact' ? null : chosen);
    dispatchEvent(new Event(densityChanged));
    setDensity(chosen);
  };
  return [density, choose];
}

function rememberedDensity(): Density {
  return recall('density') === 'comfortable' ? 'comfortable' : 'compact';
}

/** The columns of a table that the user chose, and those that have no room. */
export interface TableView {
  /** Undefined: the user has not chosen. */
  readonly choiceOf: (key: string) => boolean | undefined;
  readonly choose: (key: string, isShown: boolean) => void;
  readonly reset: () => void;
  /** Columns without room at the current width. */
  readonly leftOut: readonly string[];
  readonly setLeftOut: (keys: readonly string[]) => void;
}

/** Pass the view to the table and to its `ViewMenu`. The browser remembers the chosen columns under the name. */
export function useTableView(name: string): TableView {
  const [choice, setChoice] = useState(() => choiceIn(recall(`columns-${name}`)));
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  return useMemo(() => {
    const keep = (chosen: ColumnChoice) => {
      remember(`columns-${name}`, Object.keys(chosen).length === 0 ? null : JSON.stringify(chosen));
      setChoice(chosen);
    };
    return {
      choiceOf: (key) => choice[key],
      choose: (key, isShown) => keep({ ...choice, [key]: isShown }),
      reset: () => keep({}),
      leftOut,
      setLeftOut,
    };
  }, [name, choice, leftOut]);
}

type ColumnChoice = Readonly<Record<string, boolean>>;

function choiceIn(text: string | null): ColumnChoice {
  try {
    const stored: unknown = JSON.parse(text ?? '{}');
    const entries = Object.entries(stored ?? {}).filter(([, isShown]) => typeof isShown === 'boolean');
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

/** Whether the user wants this column, or has not decided and sees it by default. */
export function isWanted<Row>({ key, choice }: Column<Row>, view: Pick<TableView, 'choiceOf'> | undefined): boolean {
  return choice === undefined || (view?.choiceOf(key) ?? choice === 'shown');
}

interface Fit {
  /** The width and the wanted columns that this was measured for. */
  readonly measuredFor: string;
  readonly leftOut: readonly string[];
  readonly width: number;
  /** Even the columns that always stay have no room. */
  readonly isTooWide: boolean;
}

/** The wanted columns for which the table has room. Those with the highest `dropOrder` are left out first. */
export function useFittingColumns<Row>(columns: readonly Column<Row>[], view: TableView | undefined) {
  const scroll = useRef<HTMLDivElement>(null);
  const [fit, setFit] = useState<Fit>({ measuredFor: '', leftOut: [], width: 0, isTooWide: false });
  const [, measureAgain] = useState(0);
  const wanted = columns.filter((column) => isWanted(column, view));
  const keys = wanted.map(({ key }) => key).join(' ');
  const setLeftOut = view?.setLeftOut;
  useEffect(() => {
    if (!scroll.current) return undefined;
    const observer = new ResizeObserver(() => measureAgain((count) => count + 1));
    observer.observe(scroll.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const box = scroll.current;
    if (!box) return;
    const width = box.clientWidth;
    const measuredFor = `${width} ${keys}`;
    if (measuredFor !== fit.measuredFor) setFit({ measuredFor, leftOut: [], width, isTooWide: false });
    else if (isWiderThan(box) && !fit.isTooWide) {
      const next = lastDroppable(wanted, fit.leftOut, view);
      setFit(next === undefined ? { ...fit, isTooWide: true } : { ...fit, leftOut: [...fit.leftOut, next] });
    }
  });
  useEffect(() => setLeftOut?.(fit.leftOut), [fit.leftOut, setLeftOut]);
  const shown = wanted.filter(({ key }) => !fit.leftOut.includes(key));
  return { scroll, shown, width: fit.width, isTooWide: fit.isTooWide };
}

/** Whether the table inside is wider than its box. On a phone the rows are no table. */
function isWiderThan(box: HTMLElement): boolean {
  const table = box.firstElementChild;
  return table !== null && getComputedStyle(table).display === 'table' && table.scrollWidth > box.clientWidth;
}

function lastDroppable<Row>(
  columns: readonly Column<Row>[],
  leftOut: readonly string[],
  view: TableView | undefined,
): string | undefined {
  return columns
    .filter(({ key, dropOrder }) => dropOrder !== undefined && !leftOut.includes(key) && view?.choiceOf(key) !== true)
    .toSorted((one, other) => (other.dropOrder ?? 0) - (one.dropOrder ?? 0))[0]?.key;
}
