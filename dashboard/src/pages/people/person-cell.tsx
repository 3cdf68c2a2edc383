import { Text } from '@mantine/core';

/** Somebody in a table: the name, and the address below it. */
export function PersonCell({ name, email }: { readonly name: string; readonly email: string }) {
  return (
    <div>
      <Text fw={520}>{name}</Text>
      <Text fz="sm" c="dimmed">
        {email}
      </Text>
    </div>
  );
}
