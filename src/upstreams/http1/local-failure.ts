import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** What the system says when this machine has run out of something: descriptors, buffers, memory, local ports. */
const localCodes: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
  'EADDRNOTAVAIL',
  'EAGAIN',
  'EAI_MEMORY',
]);

/** What it says of an address family that is not spoken here: nothing about the other side, nor about a shortage. */
const neutralCodes: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EAFNOSUPPORT']);

/** Whether a connection failed for want of something of our own, which says nothing about the other side. */
export function isLocalFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return isLocalTogether(error.errors);
  return localCodes.has(codeOf(error)) || (isLookUp(error) && !canOpenFile());
}

/** One address of a name may fail for another reason than the next; whoever was refused anywhere got through. */
function isLocalTogether(errors: readonly unknown[]): boolean {
  return errors.some(isLocalFailure) && errors.every((each) => isLocalFailure(each) || neutralCodes.has(codeOf(each)));
}

/** Looking up a name needs files and sockets of its own, and without them calls the name unknown. */
function isLookUp(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'getaddrinfo';
}

function canOpenFile(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
