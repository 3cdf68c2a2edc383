import { expect, test } from 'vitest';
import { declaredTools } from './responses/request/declared-tools.ts';

const namespace = (name: string, ...tools: readonly string[]) => ({
  type: 'namespace',
  name,
  description: `All of ${name}.`,
  tools: tools.map((tool) => ({ type: 'function', name: tool, parameters: {} })),
});

test('a tool in a namespace gets one name that maps back to its namespace and name', () => {
  const { tools, names } = declaredTools({
    tools: [namespace('mcp__fs', 'read', 'read.all'), namespace('web', 'read')],
  });
  expect(tools.map(({ name }) => name)).toEqual(['mcp__fs__read', 'mcp__fs__read_all', 'web__read']);
  expect(names.identityOf('mcp__fs__read_all')).toEqual({ namespace: 'mcp__fs', name: 'read.all', kind: 'function' });
  expect(tools[0]).toMatchObject({ description: 'All of mcp__fs.', parameters: { type: 'object' } });
});

test('long or colliding names become unique and valid, and tools outside namespaces keep their names', () => {
  const long = 'x'.repeat(70);
  const own = { type: 'function', name: 'a__b' };
  const { tools, names } = declaredTools({ tools: [namespace('a', 'b', `${long}1`, `${long}2`), own] });
  const wireNames = tools.map(({ name }) => name);
  expect(wireNames[0]).toBe('a__b');
  expect(new Set(wireNames).size).toBe(4);
  for (const name of wireNames) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(wireNames.map((name) => names.identityOf(name).namespace)).toEqual([undefined, 'a', 'a', 'a']);
});

test('a shortened name means the only tool that it matches', () => {
  const { names } = declaredTools({ tools: [namespace('fs', 'read', 'write'), namespace('web', 'read')] });
  expect(names.identityOf('write')).toMatchObject({ namespace: 'fs', name: 'write' });
  expect(names.identityOf('fs.read')).toMatchObject({ namespace: 'fs', name: 'read' });
  expect(names.identityOf('read')).toEqual({ namespace: undefined, name: 'read', kind: 'function' });
});

test('custom tools take their text as one argument, with their grammar in the description', () => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
  const { tools } = declaredTools({
    tools: [{ type: 'custom', name: 'apply_patch', description: 'Patches.', format }],
  });
  expect(tools[0]?.description).toBe('Patches.\n\nThe input must follow this lark grammar:\nstart: "x"');
  expect(tools[0]?.parameters).toMatchObject({ required: ['input'] });
});

test('hosted tools are left out, and tools added in the middle of a conversation count', () => {
  const declared = declaredTools({
    tools: [
      { type: 'web_search', external_web_access: false },
      { type: 'tool_search', execution: 'client' },
    ],
    input: [
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'late' }] },
      { type: 'tool_search_output', call_id: 'c', tools: [namespace('ns', 'found')] },
    ],
  });
  expect(declared.tools.map(({ name }) => name)).toEqual(['tool_search', 'late', 'ns__found']);
  expect(declared.leftOut).toEqual([{ path: ['tools', 0], type: 'web_search' }]);
});
