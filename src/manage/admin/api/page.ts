import { z } from 'zod';
import type { SchemaEntry } from './endpoint.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

/** `limit` and `cursor` of a list. `position` is the schema of a decoded cursor. */
export function pageQuery<Position extends z.ZodType>(position: Position) {
  return {
    limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of entries.'),
    cursor: z
      .string()
      .max(2000)
      .transform((text, context) => {
        const decoded = position.safeParse(decode(text));
        if (decoded.success) return decoded.data;
        const rule = broken('wrong_cursor');
        context.addIssue({ code: 'custom', message: rule.message, params: { rule } });
        return z.NEVER;
      })
      .optional()
      .describe('The `next` of the previous page.'),
  };
}

export function pageOf<Schema extends z.ZodType>(row: SchemaEntry<Schema>) {
  const { name, schema } = row;
  const data = z.array(schema);
  const next = z.string().nullable().describe('Send it as `cursor` to get the next page. Null on the last page.');
  return { name: `${name}Page`, schema: z.strictObject({ data, next }), inside: [row] };
}

/** Builds a page from up to `limit + 1` rows. The extra row only shows that there is a next page. */
export function page<Row, Shown>(
  rows: readonly Row[],
  limit: number,
  { shown, position }: { shown: (row: Row) => Shown; position: (row: Row) => unknown },
): { data: Shown[]; next: string | null } {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const next = last === undefined || rows.length <= limit ? null : cursorOf(position(last));
  return { data: kept.map(shown), next };
}

/** Encodes a position. The text is opaque to clients. */
export function cursorOf(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function decode(text: string): unknown {
  return foreignJson(Buffer.from(text, 'base64url').toString('utf8'));
}
