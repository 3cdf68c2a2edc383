import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './item-list.module.css';

export interface Item {
  readonly id: string;
  readonly name: ReactNode;
  readonly note: ReactNode;
  readonly action?: ReactNode;
}

/** A short list of items, each with an action. */
export function ItemList({ items }: { readonly items: readonly Item[] }) {
  return (
    <ul className={classes['list']}>
      {items.map(({ id, name, note, action }) => (
        <li key={id} className={classes['item']}>
          <div>
            <Group gap="xs">{name}</Group>
            <Text fz="sm" c="dimmed" component="div">
              {note}
            </Text>
          </div>
          {action}
        </li>
      ))}
    </ul>
  );
}
