import type { z } from 'zod';
import { check } from '../../../platform/config/file/check-schema.ts';
import { fieldProblems, type ConfigProblem } from '../../../platform/config/file/problem.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { broken, type BrokenRule, reason, type Reason, type RefusalCode } from 'chat-formats/reasons/reason.ts';

/** Parses the query. Throws an error that names the invalid parameters. */
export function checkedQuery<Schema extends z.ZodObject>(schema: Schema, sent: URLSearchParams): z.output<Schema> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of sent) {
    if (name in values) throw invalid([{ path: [name], ...broken('given_twice'), fix: 'Give it once.' }]);
    values[name] = value;
  }
  return checked(schema, { ...values });
}

/** Parses the body. Throws an error that names the invalid fields. */
export function checkedBody<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const path = nulIn(sent);
  if (path) throw invalid([{ path, ...broken('control_characters'), fix: 'Remove the NUL character.' }]);
  return checked(schema, sent);
}

export function refused(why: Reason): GatewayError {
  return new GatewayError('invalid-request', { reason: why });
}

/** The error for one value: the rule that it breaks, and what to do. */
export function invalidField(field: string, rule: BrokenRule, fix?: string): GatewayError {
  return new GatewayError('invalid-request', { problems: [{ field, ...rule, ...(fix !== undefined && { fix }) }] });
}

type MissingKind<Code> = Code extends `${infer Kind}_not_found` ? Kind : never;

/** The same error for an unknown id and for one that the caller may not see. */
export function missing(kind: MissingKind<RefusalCode>): GatewayError {
  return new GatewayError('not-found', { reason: reason(`${kind}_not_found`) });
}

/** Where a body has a NUL character, which PostgreSQL cannot store. The door for JSON limits the depth. */
function nulIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.includes('\0') ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const path = name.includes('\0') ? [] : nulIn(each);
    if (path) return [name.replaceAll('\0', ''), ...path];
  }
  return undefined;
}

function checked<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const result = check(schema, sent);
  if (result.ok) return result.value;
  throw invalid(result.problems);
}

/** Values that a schema rejects, whatever the store holds. */
export class InvalidValuesError extends GatewayError {}

function invalid(problems: readonly ConfigProblem[]): GatewayError {
  return new InvalidValuesError('invalid-request', { problems: fieldProblems(problems) });
}
