import { type ErrorCase, errorTable } from './error-table.ts';
import { englishOf, type FieldProblem, type Reason } from './reasons/reason.ts';

/**
 * A request that cannot be answered as asked. Clients see the case's row of the table and the detail; only logs see the cause.
 */
export class GatewayError extends Error {
  readonly case: ErrorCase;
  /** What is wrong and what to do, in words meant for the client: never a provider's text, never a secret. */
  readonly detail: string | undefined;
  /** The machine-readable reason. Without one, the case is the reason. */
  readonly reason: Reason | undefined;
  /** Which fields break which rules. */
  readonly problems: readonly FieldProblem[];
  /** Replaces the row's code where the code varies (an upstream's own refusal). */
  readonly code: string | undefined;
  /** What client libraries of one format act upon; shown on the surface that has a place for it. */
  readonly details: ErrorDetails | undefined;
  /** How far a prompt does not fit its model, for the surface whose clients look for the figures. */
  readonly overflow: ContextOverflow | undefined;

  constructor(errorCase: ErrorCase, options: GatewayErrorOptions = {}) {
    const detail = options.detail ?? detailOf(options);
    super(detail ?? errorTable[errorCase].text, { cause: options.cause });
    this.name = 'GatewayError';
    this.case = errorCase;
    this.detail = detail;
    this.reason = options.reason;
    this.problems = options.problems ?? [];
    this.code = options.code;
    this.details = options.details;
    this.overflow = options.overflow;
  }
}

/** The row of the table that an error is told by; what is none of its cases is a mistake of ours. */
export function caseOf(error: unknown): ErrorCase {
  return error instanceof GatewayError ? error.case : 'internal-error';
}

/** Problems that one message names; `problems` has more of them. */
const namedMax = 3;

/** Names come from the client, who may have sent any number of any length. */
const detailCharactersMax = 500;

function detailOf({ reason, problems = [] }: GatewayErrorOptions): string | undefined {
  if (reason === undefined && problems.length === 0) return undefined;
  const isOnlyFields = reason === undefined || reason.code === 'invalid_fields';
  const sentences = problems.slice(0, namedMax).map(({ field, message, fix, entry }) => {
    // The reader of a batch knows its entries by their names.
    const own = entry === undefined ? field : field.replace(/^\w+\[\d+\]\.?/, '');
    const name = own === '' ? 'The body' : `\`${own}\``;
    return `${entry === undefined ? '' : `${entry}: `}${name} ${message}.${fix === undefined ? '' : ` ${fix}`}`;
  });
  const words = [...(isOnlyFields ? [] : [englishOf(reason)]), ...sentences].join(' ');
  return words.slice(0, detailCharactersMax);
}

interface GatewayErrorOptions {
  readonly detail?: string | undefined;
  readonly reason?: Reason | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
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
