import type { z } from 'zod';
import { suggestion } from './closest.ts';
import type { ConfigProblem, Path } from './problem.ts';
import { objectShape, type SchemaShape, shapeAt, shapeOf } from './shape.ts';
import { broken } from 'chat-formats/reasons/reason.ts';
import { ruleOf, wording } from './wording.ts';

export type CheckResult<Schema extends z.ZodType> =
  | { readonly ok: true; readonly value: z.output<Schema> }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Validates data against a schema. It returns every problem in plain words, with the fix that the schema implies. */
export function check<Schema extends z.ZodType>(schema: Schema, data: unknown): CheckResult<Schema> {
  const result = schema.safeParse(data, { error: wording });
  if (result.success) return { ok: true, value: result.data };
  const shape = shapeOf(schema);
  return { ok: false, problems: result.error.issues.flatMap((issue) => problemsOf(issue, data, shape)) };
}

type Issue = z.core.$ZodIssue;

function problemsOf(issue: Issue, data: unknown, shape: SchemaShape): ConfigProblem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const here = shapeAt(shape, path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownName(path, name, here));
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.find((branch) => branch.some((each) => !concernsWhole(each)));
    if (inner)
      return inner.flatMap((each) => problemsOf({ ...each, path: [...issue.path, ...each.path] }, data, shape));
  }
  const value = valueAt(data, path);
  if (value === undefined) return [{ path, ...broken('missing'), fix: here?.fix ?? addition(path, here) }];
  if (issue.code === 'invalid_key') {
    return [{ path, isAtName: true, ...ruleOf(issue.issues[0] ?? issue), fix: 'Write another name.' }];
  }
  return [{ path, ...ruleOf(issue), fix: here?.fix ?? correction(issue, value, here) }];
}

function unknownName(path: Path, name: string, here: SchemaShape | undefined): ConfigProblem {
  const known = Object.keys(objectShape(here)?.properties ?? {});
  const fix = suggestion(name, known) || 'Remove it.';
  return { path: [...path, name], isAtName: true, ...broken('unknown_name'), fix };
}

/** If an alternative of a union fails at its root, the author meant another alternative. */
function concernsWhole(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code !== 'unrecognized_keys';
}

function addition(path: Path, shape: SchemaShape | undefined): string {
  return `Add \`${path.at(-1)}\`. ${shape?.description ?? ''}`.trim();
}

function correction(issue: Issue, value: unknown, shape: SchemaShape | undefined): string {
  if (shape?.enum) return suggestion(String(value), shape.enum) || `Write one of ${shape.enum.join(', ')}.`;
  if (issue.code === 'invalid_type' && shape?.type === 'string' && typeof value !== 'object')
    return 'Put it in quotes.';
  if (issue.code === 'too_small' && shape?.type === 'array') return `Add one. ${shape.description ?? ''}`.trim();
  if (shape?.title) return `Write ${shape.title}${shape.sample ? `, for example ${shape.sample}` : ''}.`;
  if (shape?.type === 'integer') return `Write a whole number from ${shape.minimum} to ${shape.maximum}.`;
  if (shape?.type === 'boolean') return 'Write true or false.';
  if (issue.code === 'invalid_type' && shape?.type === 'array')
    return 'Write a list: [ … ], or lines that begin with `- `.';
  if (issue.code === 'invalid_type' && shape?.properties)
    return `Known names: ${Object.keys(shape.properties).join(', ')}.`;
  return shape?.description ?? 'Correct the value.';
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    return (value as Record<string | number, unknown>)[step];
  }, data);
}
