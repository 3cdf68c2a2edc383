import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page-header.module.css';

export interface PageHeaderProps {
  readonly title: ReactNode;
  /** One sentence: what this page is for. */
  readonly description?: ReactNode;
  /** Buttons; the most important one last. */
  readonly actions?: ReactNode;
}

/** The head of every page. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className={classes['header']}>
      <div className={classes['words']}>
        <Title order={1}>{title}</Title>
        {description && (
          <Text c="dimmed" mt={4} maw={640} component="div">
            {description}
          </Text>
        )}
      </div>
      {actions && <Group gap="xs">{actions}</Group>}
    </header>
  );
}
