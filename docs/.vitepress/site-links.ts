import { posix } from 'node:path';
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Pages outside of `docs/`, by their path in the repository, with their path in the site. */
const outside: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'project/architecture.md',
  'CHANGELOG.md': 'project/changelog.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'SECURITY.md': 'project/security.md',
  'deploy/README.md': 'install.md',
  'README.md': 'index.md',
};

/** The path of a page in the site, from its path in the repository. */
export function sitePath(source: string): string {
  return outside[source] ?? source.replace(/^docs\//, '');
}

/** Relative links name files of the repository, so that they work there too. Here they become paths of the site. */
export function rewriteLinks(markdown: Markdown): void {
  markdown.core.ruler.push('links of the site', (state) => {
    const { relativePath } = state.env as { readonly relativePath: string };
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null && isRelative(href)) token.attrSet('href', siteLink(sourceOf(relativePath), href));
    }
  });
}

/** The text of a page with its links to other files as paths below `/docs`, and those files. */
export function linksInText(
  source: string,
  text: string,
): { readonly text: string; readonly files: readonly string[] } {
  const files: string[] = [];
  const replaced = text.replaceAll(codeOrLink, (all, _indent, href?: string) => {
    if (href === undefined || !isRelative(href)) return all;
    files.push(targetOf(source, href));
    return `](/docs${siteLink(source, href)})`;
  });
  return { text: replaced, files };
}

/** Code is matched too, so that a link in it is left as it is. */
const codeOrLink = /^( *)```[^]*?^\1```$|`[^`\n]*`|\]\(([^)\s]+)\)/gm;

function isRelative(href: string): boolean {
  return !/^([a-z]+:|\/|#)/.test(href);
}

function siteLink(source: string, href: string): string {
  const [, anchor] = href.split('#');
  const page = `/${sitePath(targetOf(source, href))}`;
  return anchor === undefined ? page : `${page}#${anchor}`;
}

/** The file of the repository that a relative link names. */
function targetOf(source: string, href: string): string {
  return posix.join(posix.dirname(source), href.replace(/#.*/, ''));
}

/** The file of the repository that a page of the site comes from. */
function sourceOf(page: string): string {
  const [file] = Object.entries(outside).find(([, path]) => path === page) ?? [];
  return file ?? `docs/${page}`;
}

/** The anchor of a heading, as GitHub makes it: links work there and on the site. */
export function anchorOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** VitePress gives the tabs of a code group random ids. A page needs the same ids in every build of its version. */
export function numberTabs(markdown: Markdown): void {
  const name = 'container_code-group_open';
  const render = markdown.renderer.rules[name];
  markdown.renderer.rules[name] = (tokens, index, ...rest) => {
    let attributes = 0;
    return (render?.(tokens, index, ...rest) ?? '')
      .replaceAll(/ name="group-[\w-]+"/g, ` name="group-${index}"`)
      .replaceAll(/ (id|for)="tab-[\w-]+"/g, (_, attribute: string) => {
        attributes += 1;
        return ` ${attribute}="tab-${index}-${Math.ceil(attributes / 2)}"`;
      });
  };
}
