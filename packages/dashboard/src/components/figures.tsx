import { Card, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figures.module.css';

export interface FigureProps {
  readonly label: string;
  /** Undefined while loading. */
  readonly value: ReactNode | undefined;
  readonly change?: ReactNode;
  /** A short breakdown of the number. */
  readonly note?: ReactNode;
}

interface LeadCardProps extends FigureProps {
  /** The other important figure of the page. */
  readonly second?: FigureProps | undefined;
  /** The trend of the first figure. */
  readonly children: ReactNode;
}

/** The most important number of a page, large, with its trend beside it. */
export function LeadCard({ label, value, change, note, second, children }: LeadCardProps) {
  return (
    <Card component="section" aria-label={label}>
      <div className={classes['lead']}>
        <div className={classes['leadFigures']}>
          <div role="group" aria-label={label} aria-busy={value === undefined}>
            <div className={classes['label']}>{label}</div>
            <div className={classes['leadValue']}>{value ?? <Skeleton height={32} width={132} my={6} />}</div>
            <div className={classes['change']}>{change}</div>
            <div className={classes['note']}>{note}</div>
          </div>
          {second && (
            <div
              role="group"
              aria-label={second.label}
              aria-busy={second.value === undefined}
              className={classes['second']}
            >
              <div className={classes['label']}>{second.label}</div>
              <div className={classes['secondValue']}>{second.value ?? <Skeleton height={22} width={96} my={5} />}</div>
              {'change' in second && <div className={classes['change']}>{second.change}</div>}
              <div className={classes['note']}>{second.note}</div>
            </div>
          )}
        </div>
        <div>{children}</div>
      </div>
    </Card>
  );
}

/** Further figures of a page in one quiet row. */
export function FigureRow({ children }: { readonly children: ReactNode }) {
  return <div className={classes['row']}>{children}</div>;
}

export function Figure({ label, value, change, note }: FigureProps) {
  return (
    <div role="group" aria-label={label} aria-busy={value === undefined} className={classes['figure']}>
      <div className={classes['label']}>{label}</div>
      <div className={classes['figureValue']}>
        {value ?? <Skeleton height={18} width={72} my={5} />} {change}
      </div>
      <div className={classes['note']}>{note}</div>
    </div>
  );
}
