import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Validator } from './validate-and-repair.ts';

/** Thrown for a schema that cannot be used. The message is for the author of the schema. */
export class RejectedSchema extends Error {
  override readonly name = 'RejectedSchema';
}

/**
 * Ignores unknown keywords, as providers do, and also `format`, which is only an annotation in newer drafts. Only own
 * properties count as members, so that inherited names such as `toString` are not found in every object.
 */
const options: Options = { strict: false, validateFormats: false, ownProperties: true, logger: false };

/** Compiling is slow, and a validator may never return: use it only in a thread that can be terminated. */
export function schemaCompiler(): (schema: Readonly<Record<string, unknown>>) => Validator {
  // One instance per draft validates schemas, so that the meta-schema is compiled once.
  const drafts = [Ajv, Ajv2020].map((Draft) => ({ Draft, metaValidator: new Draft(options) })) as [Draft, Draft];
  return (schema) => {
    const { Draft, metaValidator } = drafts[isOfDraft7(schema) ? 0 : 1];
    // The draft is already chosen, so Ajv must not look it up by its name.
    const { $schema: _said, ...rest } = schema;
    try {
      if (metaValidator.validateSchema(rest) !== true)
        throw new RejectedSchema(describeError(metaValidator.errors ?? [], schema));
      return validatorOf(rest, new Draft({ ...options, ...isolated }));
    } catch (error) {
      if (error instanceof RangeError) throw new RejectedSchema('it refers to itself without end');
      throw error instanceof Error ? new RejectedSchema(error.message) : error;
    }
  };
}

interface Draft {
  readonly Draft: typeof Ajv | typeof Ajv2020;
  readonly metaValidator: Ajv | Ajv2020;
}

/** Schemas must not refer to each other by id. Without optimisation, compiling takes half the time. */
const isolated: Options = { meta: false, validateSchema: false, code: { optimize: false } };

function validatorOf(schema: Readonly<Record<string, unknown>>, ajv: Ajv | Ajv2020): Validator {
  const compiled = ajv.compile(schema);
  const misfit = (value: unknown): string | undefined =>
    compiled(value) ? undefined : describeError(compiled.errors ?? [], value);
  // A schema with endless self-references fails with the first value. Find out now.
  for (const probe of [null, '', 0, [], {}]) misfit(probe);
  return { schema, misfit };
}

/** Without `$schema`, the newest draft counts, unless `items` is a list, which only older drafts allow. */
function isOfDraft7(schema: Readonly<Record<string, unknown>>): boolean {
  const { $schema: draft } = schema;
  if (typeof draft === 'string') return /draft-0[4-7]/.test(draft);
  return hasListOfItems(schema);
}

function hasListOfItems(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).some(
    ([name, inside]) => (name === 'items' && Array.isArray(inside)) || hasListOfItems(inside),
  );
}

/** Maximum characters of an error text. */
const wordsMax = 300;

/** Returns one error as text: its location, the rule, and the allowed values. */
function describeError(errors: readonly ErrorObject[], value: unknown): string {
  // For alternatives, Ajv lists the errors of each one, and last that none matched.
  const error = errors.at(-1);
  if (!error) return 'it does not fit';
  const where = error.instancePath === '' ? (isStructure(value) ? '' : 'the value ') : `${error.instancePath} `;
  return `${where}${error.message ?? 'does not fit'}${describeAllowed(error)}`.slice(0, wordsMax);
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function describeAllowed({ keyword, params }: ErrorObject): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`;
  if (keyword === 'const') return ` ${JSON.stringify(params['allowedValue'])}`;
  return keyword === 'additionalProperties' ? `: ${JSON.stringify(params['additionalProperty'])}` : '';
}
