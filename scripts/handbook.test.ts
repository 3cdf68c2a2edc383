import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const handbook = readFileSync('docs/operations.md', 'utf8');
const anchors = [...handbook.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-'),
);

test('every alert links to its section of the handbook, and every such section has an alert', () => {
  const { groups } = parse(readFileSync('deploy/views/rules.yaml', 'utf8')) as {
    groups: { rules: { alert?: string; annotations?: { runbook_url?: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules).filter(({ alert }) => alert !== undefined);
  expect(rules.length).toBeGreaterThan(10);
  const led = rules.map(({ annotations }) => annotations?.runbook_url?.split('#')[1] ?? '');
  expect(new Set(led)).toEqual(new Set(anchors.filter((anchor) => anchor.startsWith('chatgateway'))));
});

test('every link inside the handbook has a target', () => {
  const links = [...handbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});
