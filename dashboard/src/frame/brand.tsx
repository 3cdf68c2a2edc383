import { Text } from '@mantine/core';
import { useSite } from '../api/session.ts';

export function Brand() {
  const { site } = useSite();
  return (
    <>
      <img src="/favicon.svg" width={28} height={28} alt="" />
      <Text fw={620} fz={15} truncate>
        {site.title}
      </Text>
    </>
  );
}
