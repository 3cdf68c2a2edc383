import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** The header of the card on pages without a session. */
export function CardHead({ title, text }: { readonly title: string; readonly text?: ReactNode }) {
  return (
    <div>
      <Title order={1} size="h1">
        {title}
      </Title>
      {text && (
        <Text c="dimmed" mt={4} component="div">
          {text}
        </Text>
      )}
    </div>
  );
}
