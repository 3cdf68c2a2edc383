import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** CPU time of the file, with that of its ended child processes. */
    cpuMs?: number;
  }
}

/** Linux counts in ticks of 10 ms. */
const tickMs = 10;

const startedMs = cpuMs();

// oxlint-disable-next-line no-empty-pattern -- vitest wants the fixtures destructured, and this hook uses none.
afterAll(({}, suite) => {
  suite.file.meta.cpuMs = cpuMs() - startedMs;
});

/** User and system time of this process, and of its children that have been waited for. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

function childrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * tickMs;
  } catch {
    // Only Linux has this file.
    return 0;
  }
}
