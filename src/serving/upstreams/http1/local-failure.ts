import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Error codes of the system for missing resources: descriptors, buffers, memory, local ports. */
const localCode = /^(?:EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|EAGAIN|EAI_MEMORY)$/;

/** An address family is not available here: neither a fault of the other side nor a shortage. */
const neutralCodes: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EAFNOSUPPORT']);

/** Whether this machine lacked a resource, which is not the fault of the other side. */
export function isLocalFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return isLocalTogether(error.errors);
  return localCode.test(codeOf(error)) || (isLookUp(error) && !canOpenFile());
}

/** If any address of a name refused the connection, the machine had enough resources. */
function isLocalTogether(errors: readonly unknown[]): boolean {
  return errors.some(isLocalFailure) && errors.every((each) => isLocalFailure(each) || neutralCodes.has(codeOf(each)));
}

/** A look-up needs files and sockets itself. Without them it reports the name as unknown. */
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
