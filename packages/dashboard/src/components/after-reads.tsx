import { Skeleton } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface AfterReadsProps {
  readonly reads: readonly { readonly isPending: boolean }[];
  readonly children: ReactNode;
}

/**
 * Shows sections together, once every read has replied or failed: a section that appears late would move those below
 * it. The sections are mounted at once, so that their own reads begin.
 */
export function AfterReads({ reads, children }: AfterReadsProps) {
  const [isDone, setDone] = useState(false);
  if (!isDone && reads.every(({ isPending }) => !isPending)) setDone(true);
  return (
    <>
      {!isDone && <Skeleton height={320} radius="lg" />}
      <div hidden={!isDone}>{children}</div>
    </>
  );
}
