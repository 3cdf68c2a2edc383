import type { z } from 'zod';
import { check } from '../config/findings.ts';
import { type Finding, pathText } from '../config/problem.ts';
import { GatewayError } from '../core/gateway-error.ts';

/** The query as its schema reads it; refuses with the name of the parameter that breaks a rule. */
export function checkedQuery<Schema extends z.ZodObject>(schema: Schema, sent: URLSearchParams): z.output<Schema> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of sent) {
    if (name in values) throw invalid([{ path: [name], message: 'is given twice', fix: 'Give it once.' }]);
    values[name] = value;
  }
  return checked(schema, { ...values });
}

/** The body as its schema reads it; refuses with the name of the field that breaks a rule. */
export function checkedBody<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  return checked(schema, sent);
}

/** A refusal of what was sent, in words for whoever sent it. */
export function refused(detail: string): GatewayError {
  return new GatewayError('invalid-request', { detail: detail.slice(0, detailCharactersMax) });
}

/** Nothing has that id, or nothing the caller may see: both read the same. */
export function missing(kind: string): GatewayError {
  return new GatewayError('not-found', { detail: `There is no such ${kind}.` });
}

/** Names come from the client, who may have sent any number of any length. */
const detailCharactersMax = 500;

function checked<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const result = check(schema, sent);
  if (result.ok) return result.value;
  throw invalid(result.findings);
}

function invalid(findings: readonly Finding[]): GatewayError {
  return refused(findings.slice(0, 3).map(sentence).join(' '));
}

function sentence({ path, message, fix }: Finding): string {
  const name = path.length === 0 ? 'The body' : `\`${pathText(path)}\``;
  return `${name} ${message}. ${fix}`;
}
