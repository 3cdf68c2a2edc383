import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Validator } from './fitted.ts';

/** A schema that cannot be used, in words for whoever wrote it. */
export class RefusedSchema extends Error {
  override readonly name = 'RefusedSchema';
}

/**
 * Everything unknown is let pass, as providers do: `format` too, which the newer drafts take for a remark. Only what a
 * value has itself counts as a member, so that no name of the language's own is found in every object.
 */
const options: Options = { strict: false, validateFormats: false, ownProperties: true, logger: false };

/** Compiles schemas. Takes long, and what it makes may run for ever: only for a thread that can be ended. */
export function schemaCompiler(): (schema: Readonly<Record<string, unknown>>) => Validator {
  // Whether a schema is one is asked of one instance each, which compiles the schema of schemas once.
  const drafts = [Ajv, Ajv2020].map((Draft) => ({ Draft, judge: new Draft(options) })) as [Draft, Draft];
  return (schema) => {
    const { Draft, judge } = drafts[isOfDraft7(schema) ? 0 : 1];
    // The draft has been chosen: however its name is written, it need not be found by it.
    const { $schema: _said, ...rest } = schema;
    try {
      if (judge.validateSchema(rest) !== true) throw new RefusedSchema(spoken(judge.errors ?? [], schema));
      return validatorOf(rest, new Draft({ ...options, ...alone }));
    } catch (error) {
      if (error instanceof RangeError) throw new RefusedSchema('it refers to itself without end');
      throw error instanceof Error ? new RefusedSchema(error.message) : error;
    }
  };
}

interface Draft {
  readonly Draft: typeof Ajv | typeof Ajv2020;
  readonly judge: Ajv | Ajv2020;
}

/** An instance for one schema, so that none finds another by its name; less clever code is made in half the time. */
const alone: Options = { meta: false, validateSchema: false, code: { optimize: false } };

function validatorOf(schema: Readonly<Record<string, unknown>>, ajv: Ajv | Ajv2020): Validator {
  const compiled = ajv.compile(schema);
  const misfit = (value: unknown): string | undefined =>
    compiled(value) ? undefined : spoken(compiled.errors ?? [], value);
  // What refers to itself without end would do so with the first value it is held against.
  for (const probe of [null, '', 0, [], {}]) misfit(probe);
  return { schema, misfit };
}

/** What says no draft is taken for the newest, unless it has a list where only older ones have one. */
function isOfDraft7(schema: Readonly<Record<string, unknown>>): boolean {
  const { $schema: said } = schema;
  if (typeof said === 'string') return /draft-0[4-7]/.test(said);
  return hasListOfItems(schema);
}

function hasListOfItems(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).some(
    ([name, inside]) => (name === 'items' && Array.isArray(inside)) || hasListOfItems(inside),
  );
}

/** More would not be read. */
const wordsMax = 300;

/** The first thing that is wrong, where it is, and what may stand there. */
function spoken(errors: readonly ErrorObject[], value: unknown): string {
  // Alternatives tell what each of them wants, and last that none of them was met.
  const error = errors.at(-1);
  if (!error) return 'it does not fit';
  const where = error.instancePath === '' ? (isStructure(value) ? '' : 'the value ') : `${error.instancePath} `;
  return `${where}${error.message ?? 'does not fit'}${wanted(error)}`.slice(0, wordsMax);
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function wanted({ keyword, params }: ErrorObject): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`;
  if (keyword === 'const') return ` ${JSON.stringify(params['allowedValue'])}`;
  return keyword === 'additionalProperties' ? `: ${JSON.stringify(params['additionalProperty'])}` : '';
}
