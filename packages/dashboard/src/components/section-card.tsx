import { Card, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface SectionCardProps {
  readonly title: string;
  readonly text?: ReactNode;
  /** Shown next to the title. */
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** A card for one topic of a page. */
export function SectionCard({ title, text, action, children }: SectionCardProps) {
  return (
    <Card component="section">
      <Group justify="space-between" align="flex-start" gap="md" mb={children ? 'md' : 0}>
        <div>
          <Title order={2} size="h3">
            {title}
          </Title>
          {text && (
            <Text fz="sm" c="dimmed" maw={560} component="div">
              {text}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Card>
  );
}
