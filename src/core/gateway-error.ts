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
  /** What client libraries of one format act upon; shown on the surface that has a place for it. */
  readonly details: ErrorDetails | undefined;
  /** How far a prompt does not fit its model, for the surface whose clients look for the figures. */
  readonly overflow: ContextOverflow | undefined;

  constructor(errorCase: ErrorCase, options: GatewayErrorOptions = {}) {
    super(options.detail ?? errorTable[errorCase].text, { cause: options.cause });
    this.name = 'GatewayError';
    this.case = errorCase;
    this.detail = options.detail;
    this.code = options.code;
    this.details = options.details;
    this.overflow = options.overflow;
  }
}

/** The row of the table that an error is told by; what is none of its cases is a mistake of ours. */
export function caseOf(error: unknown): ErrorCase {
  return error instanceof GatewayError ? error.case : 'internal-error';
}

interface GatewayErrorOptions {
  readonly detail?: string | undefined;
  readonly code?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly overflow?: ContextOverflow | undefined;
  readonly cause?: unknown;
}

export interface ErrorDetails {
  readonly error_code: string;
  readonly unsupported?: readonly string[];
}

/** How long a prompt is and what its model can hold, in tokens, as far as either is known. */
export interface ContextOverflow {
  readonly promptTokens: number | undefined;
  readonly tokensMax: number | undefined;
}
