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

test('every alert leads to its place in the handbook, and no place is about an alert that is gone', () => {
  const { groups } = parse(readFileSync('deploy/views/rules.yaml', 'utf8')) as {
    groups: { rules: { alert?: string; annotations?: { runbook_url?: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules).filter(({ alert }) => alert !== undefined);
  expect(rules.length).toBeGreaterThan(10);
  const led = rules.map(({ annotations }) => annotations?.runbook_url?.split('#')[1] ?? '');
  expect(new Set(led)).toEqual(new Set(anchors.filter((anchor) => anchor.startsWith('chatgateway'))));
});

test('every link inside the handbook leads somewhere', () => {
  const links = [...handbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});
