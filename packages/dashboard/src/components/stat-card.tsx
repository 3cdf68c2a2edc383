import { Card, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './stat-card.module.css';

export interface StatCardProps {
  readonly label: string;
  /** Undefined while loading. */
  readonly value: ReactNode | undefined;
  /** A comparison or a breakdown of the number. */
  readonly hint?: ReactNode;
}

/** A card with one number. */
export function StatCard({ label, value, hint }: StatCardProps) {
  return (
    <Card padding="md" role="group" aria-label={label} aria-busy={value === undefined}>
      <Text fz="sm" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={28} width={96} my={4} />
      ) : (
        <div className={classes['value']}>{value}</div>
      )}
      {(hint !== undefined || value === undefined) && (
        <Text fz="xs" c="dimmed" component="div">
          {/* Most cards have a line here. An empty one keeps its space while the card loads. */}
          {hint ?? '\u00a0'}
        </Text>
      )}
    </Card>
  );
}

/** Cards in a row, as many as fit. */
export function StatRow({ children }: { readonly children: ReactNode }) {
  return <div className={classes['row']}>{children}</div>;
}
