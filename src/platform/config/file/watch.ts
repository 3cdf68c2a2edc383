import { stat } from 'node:fs/promises';

const pollMs = 500;

/**
 * Calls `onChange` when a changed file is stable: two polls in a row see the same file. It polls the path instead of an
 * open file, so it also detects editors that replace the file and mounts that swap it. Every change after `started` counts.
 */
export function watchFile(
  path: string,
  onChange: () => void,
  intervalMs = pollMs,
): { readonly started: Promise<void>; close(): void } {
  const isSettled = changeDetector();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  async function poll(): Promise<void> {
    const signature = await signatureOf(path);
    if (closed) return;
    timer = setTimeout(() => void poll(), intervalMs).unref();
    if (isSettled(signature)) onChange();
  }
  return {
    started: poll(),
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Returns a function that decides at each poll whether to read the file: it differs from the file that was read last, and
 * has not changed since the previous poll. A missing file is being replaced; the next file counts.
 */
export function changeDetector(): (signature: string | undefined) => boolean {
  let hasPolled = false;
  let read: string | undefined;
  let previous: string | undefined;
  return (signature) => {
    const isSettled = signature !== undefined && signature === previous && signature !== read;
    if (isSettled || !hasPolled) read = signature;
    previous = signature;
    hasPolled = true;
    return isSettled;
  };
}

async function signatureOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return undefined;
  }
}
