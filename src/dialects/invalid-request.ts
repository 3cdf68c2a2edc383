import type { z } from 'zod';
import { GatewayError } from '../core/gateway-error.ts';
import type { WireObject } from './wire-value.ts';

/** Where a field stands in a body, from the outside in. */
export type FieldPath = readonly PropertyKey[];

/** A rule of the contract that a request breaks, and where. */
export interface InvalidField {
  readonly path: FieldPath;
  readonly rule: string;
}

/** More would not help anyone mend a request. */
const shownMax = 3;

/** A longer name is no name but a value, and is not repeated. */
const nameShownMax = 64;

/** Names each field and its rule in words. Values are left out: they may be long, or secret. */
export function invalidRequest(broken: readonly InvalidField[]): GatewayError {
  const sentences = new Set(broken.map(({ path, rule }) => `${fieldName(path)} ${rule}`));
  return new GatewayError('invalid-request', { detail: `${[...sentences].slice(0, shownMax).join('; ')}.` });
}

export function brokenRules(error: z.ZodError): readonly InvalidField[] {
  return error.issues.map((issue) => ({ path: issue.path, rule: issue.message }));
}

/** Numbers too large to be numbers (`1e400`) in fields no schema knows: forwarded, they would silently become `null`. */
export function infiniteFields(body: WireObject): readonly InvalidField[] {
  const broken: InvalidField[] = [];
  for (const name of Object.keys(body)) {
    const value = body[name];
    if (value !== Infinity && value !== -Infinity) continue;
    broken.push({ path: name.length <= nameShownMax ? [name] : [], rule: 'holds a number that is out of range' });
  }
  return broken;
}

/** The path as a client would write it. */
export function fieldName(path: FieldPath): string {
  if (path.length === 0) return 'The body';
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`;
    return name === '' ? String(step) : `${name}.${String(step)}`;
  }, '');
}
