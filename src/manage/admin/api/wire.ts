import { z } from 'zod';
import { displayName } from '../../../platform/config/schema/values/display-name.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { decimalText } from '../../../core/money.ts';

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}

export const timeSchema = z.iso.datetime().describe('ISO 8601, in UTC.');

/** A time from a client, parsed to milliseconds. */
export const sentTime = z.iso
  .datetime({ offset: true, ...breaks('not_a_time', { example: '2026-01-31T12:00:00Z' }) })
  .transform((text) => Date.parse(text));

export const periodQuery = {
  since: sentTime.optional().describe('Only entries at this time or later.'),
  until: sentTime.optional().describe('Only entries before this time.'),
};

export const versionSchema = z
  .string()
  .describe(
    'Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed.',
  );

export const moneySchema = z.string().describe('A decimal in the currency of the gateway.');

export const labelSchema = displayName.describe('Name by which you recognise it.');

export const idSchema = z.string().min(1).max(64);

/**
 * The document of a record that has the fields of a schema in camelCase: times in milliseconds, money as bigint, and
 * `undefined` for null.
 */
export function documentAs<Shape extends z.ZodRawShape>(
  shape: Shape,
  record: RecordFor<z.input<z.ZodObject<Shape>>>,
): z.input<z.ZodObject<Shape>> {
  const values: Readonly<Record<string, unknown>> = record;
  const fields = Object.keys(shape).map((name) => [name, wireValue(name, values[camelCased(name)])]);
  return Object.fromEntries(fields) as z.input<z.ZodObject<Shape>>;
}

type RecordFor<Document> = {
  readonly [Name in keyof Document & string as null extends Document[Name] ? never : CamelCased<Name>]: SourceOf<
    Name,
    Document[Name]
  >;
} & {
  readonly [Name in keyof Document & string as null extends Document[Name] ? CamelCased<Name> : never]?:
    | SourceOf<Name, Exclude<Document[Name], null>>
    | null
    | undefined;
};

type SourceOf<Name, Value> = Name extends 'at' | `${string}_${'at' | 'until'}` ? number : FieldSource<Value>;

type FieldSource<Value> = Value extends string
  ? Value | bigint
  : Value extends (infer Item)[]
    ? readonly Item[]
    : Value;

type CamelCased<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCased<Tail>>}`
  : Name;

/** The fields of a request in camelCase, as records have them. */
export function recordFrom<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, value]) => [camelCased(name), value]);
  return Object.fromEntries(entries) as { readonly [Name in keyof Fields & string as CamelCased<Name>]: Fields[Name] };
}

function camelCased(name: string): string {
  return name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

function wireValue(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return decimalText(value);
  return typeof value === 'number' && /(?:^|_)(?:at|until)$/.test(name) ? isoTime(value) : (value ?? null);
}
