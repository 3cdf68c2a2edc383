import { type ErrorCase, errorTable } from './error-table.ts';
import { englishOf, type FieldProblem, type Reason } from './reasons/reason.ts';

/** Clients get the row of the error table and the detail; only logs get the cause. */
export class GatewayError extends Error {
  readonly case: ErrorCase;
  /** For the client: the problem and its fix. Never contains a provider's text or a secret. */
  readonly detail: string | undefined;
  /** The machine-readable reason. Without one, the case is the reason. */
  readonly reason: Reason | undefined;
  readonly problems: readonly FieldProblem[];
  /** Replaces the row's code if the code varies (a provider's own refusal). */
  readonly code: string | undefined;
  /** Details that client libraries of one format act upon; sent on the surface that has a field for them. */
  readonly details: ErrorDetails | undefined;
  /** How far a prompt exceeds the context window, for the surface whose clients read the numbers. */
  readonly overflow: ContextOverflow | undefined;

  /** The limit that refused the request. */
  readonly limit: ReachedLimit | undefined;

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
    this.limit = options.limit;
  }
}

/** The error case of an error. An error without one is an internal error. */
export function caseOf(error: unknown): ErrorCase {
  return error instanceof GatewayError ? error.case : 'internal-error';
}

/** Whether the balance, a spend cap or a spend limit does not cover the request. */
export function lacksMoney(error: unknown): boolean {
  return errorTable[caseOf(error)].code === 'insufficient_balance';
}

/** How many problems one message names; `problems` has all of them. */
const maxNamedProblems = 3;

/** Field names come from the client, which may have sent any number of any length. */
const detailCharactersMax = 500;

function detailOf({ reason, problems = [] }: GatewayErrorOptions): string | undefined {
  if (reason === undefined && problems.length === 0) return undefined;
  const isOnlyFields = reason === undefined || reason.code === 'invalid_fields';
  const sentences = problems.slice(0, maxNamedProblems).map(({ field, message, fix, entry }) => {
    // In a batch the entry is named, so its index is removed from the field.
    const own = entry === undefined ? field : field.replace(/^\w+\[\d+\]\.?/, '');
    const name = own === '' ? 'The body' : `\`${own}\``;
    return `${entry === undefined ? '' : `${entry}: `}${name} ${message}.${fix === undefined ? '' : ` ${fix}`}`;
  });
  const text = [...(isOnlyFields ? [] : [englishOf(reason)]), ...sentences].join(' ');
  return text.slice(0, detailCharactersMax);
}

interface GatewayErrorOptions {
  readonly detail?: string | undefined;
  readonly reason?: Reason | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
  readonly code?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly overflow?: ContextOverflow | undefined;
  readonly limit?: ReachedLimit | undefined;
  readonly cause?: unknown;
}

export interface ErrorDetails {
  readonly error_code: string;
  readonly unsupported?: readonly string[];
}

/** The length of a prompt and the limit of its model, in tokens, as far as known. */
export interface ContextOverflow {
  readonly promptTokens: number | undefined;
  readonly tokensMax: number | undefined;
}

/** A limit in the period in which it refused a request. */
export interface ReachedLimit {
  readonly scope: 'key' | 'member' | 'account' | 'organisation';
  readonly subjectId: string;
  readonly amount: bigint;
  readonly period: string;
  readonly since: number;
  readonly until: number;
}
