import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Freshness } from './freshness.tsx';
import classes from './page-header.module.css';

export interface PageHeaderProps {
  readonly title: ReactNode;
  /** One sentence: the purpose of this page. */
  readonly description?: ReactNode;
  /** Buttons, the most important one last. */
  readonly actions?: ReactNode;
  /** Shows the age of the data on the page. */
  readonly withAge?: boolean;
}

/** The header of every page. */
export function PageHeader({ title, description, actions, withAge = false }: PageHeaderProps) {
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
      {(actions || withAge) && (
        <Group gap="xs">
          {withAge && <Freshness />}
          {actions}
        </Group>
      )}
    </header>
  );
}
