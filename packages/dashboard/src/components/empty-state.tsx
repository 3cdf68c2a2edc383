import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

export interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** The entries that this page would list, and how to create them. */
  readonly text: ReactNode;
  /** The next thing to do. */
  readonly action?: ReactNode;
  /** The same from a terminal, as a `CodeBlock`. */
  readonly code?: ReactNode;
}

/** Replaces an empty list and explains what to do next. */
export function EmptyState({ icon, title, text, action, code }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      {icon && <div className={classes['icon']}>{icon}</div>}
      <Title order={2} size="h3" ta="center">
        {title}
      </Title>
      <Text c="dimmed" ta="center" maw={440} component="div">
        {text}
      </Text>
      {action && <div className={classes['action']}>{action}</div>}
      {code && <div className={classes['code']}>{code}</div>}
    </Stack>
  );
}
