import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SiteConfig } from 'vitepress';
import { learningOrder, titleOf } from './navigation.ts';
import { linksInText, sitePath } from './site-links.ts';

/** Adds what programs read: every page as Markdown, `llms.txt`, and the files that pages link to. */
export async function writeForPrograms({ pages, outDir, srcDir }: SiteConfig): Promise<void> {
  const listed = await Promise.all(
    pages.map(async (source) => {
      const path = sitePath(source);
      const { text, files } = linksInText(source, await readFile(join(srcDir, source), 'utf8'));
      await mkdir(dirname(join(outDir, path)), { recursive: true });
      await writeFile(join(outDir, path), text);
      return { path, title: titleOf(text) || path, files };
    }),
  );
  await writeFile(join(outDir, 'llms.txt'), overview(listed));
  const linked = new Set(listed.flatMap(({ files }) => files).filter((file) => !file.endsWith('.md')));
  for (const file of linked) await cp(join(srcDir, file), join(outDir, sitePath(file)));
}

interface ListedPage {
  readonly path: string;
  readonly title: string;
}

/** The form of llmstxt.org: a title, a summary, then lists of links. */
function overview(pages: readonly ListedPage[]): string {
  const english = pages.filter(({ path }) => !path.startsWith('zh/'));
  const rank = ({ path }: ListedPage): number => {
    const index = learningOrder.indexOf(path.replace(/\.md$/, ''));
    return index === -1 ? learningOrder.length : index;
  };
  const sorted = english.toSorted((one, other) => rank(one) - rank(other) || one.path.localeCompare(other.path));
  const [first, rest] = [
    sorted.filter((page) => rank(page) < learningOrder.length),
    sorted.filter((page) => rank(page) >= learningOrder.length),
  ];
  return `# Chat Gateway

> A multi-tenant gateway between programs that speak the OpenAI chat-completions, OpenAI responses or Anthropic messages
> format, and any number of model providers. This file lists every page as Markdown. The API is described by /openapi.json.

## Learn

${first.map(line).join('\n')}

## Reference

${rest.map(line).join('\n')}
`;
}

function line({ path, title }: ListedPage): string {
  return `- [${title}](/docs/${path})`;
}
