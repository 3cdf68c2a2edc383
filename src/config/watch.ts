import { stat } from 'node:fs/promises';

const pollMs = 500;

/**
 * Calls back once a changed file has come to rest. Looks at the path rather than at an open file, so editors that
 * replace the file, and mounts that swap it, are noticed too. Whatever changes after `started` counts.
 */
export function watchFile(
  path: string,
  onChange: () => void,
  intervalMs = pollMs,
): { readonly started: Promise<void>; close(): void } {
  const settled = changeDetector();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  async function poll(): Promise<void> {
    const signature = await signatureOf(path);
    if (closed) return;
    timer = setTimeout(() => void poll(), intervalMs).unref();
    if (settled(signature)) onChange();
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
 * Says of each look at the file whether now is the moment to read it: it differs from what was read last, and has not
 * changed since the look before. A file that is gone is being replaced; the next one counts.
 */
export function changeDetector(): (signature: string | undefined) => boolean {
  let looked = false;
  let read: string | undefined;
  let previous: string | undefined;
  return (signature) => {
    const settled = signature !== undefined && signature === previous && signature !== read;
    if (settled || !looked) read = signature;
    previous = signature;
    looked = true;
    return settled;
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
