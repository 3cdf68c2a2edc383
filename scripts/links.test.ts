import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from '../docs/.vitepress/site-links.ts';

const pages = globSync(['*.md', '{docs,deploy}/**/*.md'], { exclude: ['docs/dist/**', '**/node_modules/**'] });
/** Without code, which may contain brackets and headings. */
const texts = new Map(pages.map((page) => [page, readFileSync(page, 'utf8').replaceAll(/^( *)```[^]*?^\1```$/gm, '')]));

const links = [...texts].flatMap(([page, text]) =>
  [...text.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([link, path = '', anchor]) => ({ page, link, target: path === '' ? page : join(dirname(page), path), anchor }),
  ),
);

test('every link of a page leads to a file', () => {
  expect(links.length).toBeGreaterThan(300);
  expect(links.filter(({ target }) => !existsSync(target))).toEqual([]);
});

test('every link to a section of a page has its target', () => {
  const sections = links.filter(({ anchor }) => anchor !== undefined);
  expect(sections.length).toBeGreaterThan(100);
  expect(sections.filter(({ target, anchor }) => !anchorsOf(target).includes(anchor ?? ''))).toEqual([]);
});

function anchorsOf(page: string): readonly string[] {
  return [...(texts.get(page) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
}

test('every picture and every link in HTML leads to a file', () => {
  const found = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/ (?:src|href)="(?!\w+:|#)([^"#]+)/g)].map(([, path = '']) => join(dirname(page), path)),
  );
  expect(found.filter((path) => !existsSync(path))).toEqual([]);
});
