import { type ErrorCase, errorTable } from './error-table.ts';

/**
 * A request that cannot be answered as asked. Clients see the case's row of the table and the detail; only logs see the cause.
 */
export class GatewayError extends Error {
  readonly case: ErrorCase;
  /** What is wrong and what to do, in words meant for the client: never a provider's text, never a secret. */
  readonly detail: string | undefined;
  /** Replaces the row's code where the code varies (an upstream's own refusal). */
  readonly code: string | undefined;

  constructor(errorCase: ErrorCase, options: { detail?: string; code?: string; cause?: unknown } = {}) {
    super(options.detail ?? errorTable[errorCase].text, { cause: options.cause });
    this.name = 'GatewayError';
    this.case = errorCase;
    this.detail = options.detail;
    this.code = options.code;
  }
}
