import { expect, test } from 'vitest';
import { z } from 'zod';
import { componentSchemas, schemaReference } from './component-schemas.ts';
import { fieldGroups } from './fields.ts';

function groupsOf(schema: z.ZodType, named: { name: string; schema: z.ZodType }[] = []) {
  const schemas = componentSchemas([{ name: 'Top', schema }, ...named]);
  return fieldGroups(schemaReference('Top'), schemas);
}

test('required fields come first, with type, limits and description', () => {
  const [group] = groupsOf(
    z.object({
      stop: z
        .union([z.string(), z.array(z.string()).max(16)])
        .nullish()
        .describe('Where to stop.'),
      temperature: z.number().min(0).max(2),
    }),
  );
  expect(group?.fields).toEqual([
    {
      path: '',
      name: 'temperature',
      type: 'number',
      isRequired: true,
      limits: ['0 to 2'],
      default: undefined,
      description: '',
    },
    {
      path: '',
      name: 'stop',
      type: 'string or string[]',
      isRequired: false,
      limits: ['string[]: at most 16 entries'],
      default: undefined,
      description: 'Where to stop.',
    },
  ]);
});

test('fields of an object are listed under its name, fields of list elements in their own group', () => {
  const groups = groupsOf(
    z.object({ options: z.object({ on: z.boolean() }), tools: z.array(z.object({ name: z.string() })).min(1) }),
  );
  expect(groups.map(({ title, fields }) => [title, fields.map(({ path, name }) => path + name)])).toEqual([
    [undefined, ['options.on', 'tools']],
    ['`tools[]`', ['name']],
  ]);
});

test('each shape of a union has its own group, named by its distinguishing values', () => {
  const groups = groupsOf(
    z.object({
      messages: z.array(
        z.discriminatedUnion('role', [
          z.object({ role: z.enum(['system', 'developer']) }),
          z.object({ role: z.literal('tool'), id: z.string() }),
        ]),
      ),
    }),
  );
  expect(groups.map(({ title }) => title)).toEqual([
    undefined,
    '`messages[]` with `role` `system` or `developer`',
    '`messages[]` with `role` `tool`',
  ]);
});

test('a named shape is described once, even if it is used several times', () => {
  const usage = z.object({ tokens: z.int() });
  const groups = groupsOf(z.object({ one: usage.nullable(), more: z.array(usage) }), [
    { name: 'Usage', schema: usage },
  ]);
  expect(groups.map(({ title }) => title)).toEqual([undefined, '`Usage`']);
  expect(groups[0]?.fields.map(({ type }) => type)).toEqual(['Usage or null', 'Usage[]']);
});

test('the description of a recursive schema ends', () => {
  const node = z.object({
    get children() {
      return z.array(node);
    },
  });
  expect(groupsOf(node).map(({ title }) => title)).toEqual([undefined, '`Top`']);
});
