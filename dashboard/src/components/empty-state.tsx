import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

export interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** What would be here, and how it gets here. */
  readonly text: ReactNode;
  /** The next thing to do. */
  readonly action?: ReactNode;
}

/** Stands where there is nothing yet and teaches what to do about it. */
export function EmptyState({ icon, title, text, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={56} px="md">
      {icon && <div className={classes['icon']}>{icon}</div>}
      <Title order={2} size="h3" ta="center">
        {title}
      </Title>
      <Text c="dimmed" ta="center" maw={440} component="div">
        {text}
      </Text>
      {action && <div className={classes['action']}>{action}</div>}
    </Stack>
  );
}
