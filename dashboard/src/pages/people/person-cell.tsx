import { Text } from '@mantine/core';

/** A person in a table: the name, and the e-mail address below. */
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
