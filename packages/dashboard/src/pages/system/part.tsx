import { Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

export interface PartProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}

/** A part of the page with its own heading. */
export function Part({ title, text, children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {text && (
        <Text c="dimmed" fz="sm" maw={640}>
          {text}
        </Text>
      )}
      <div style={{ marginTop: 12 }}>{children}</div>
    </section>
  );
}
