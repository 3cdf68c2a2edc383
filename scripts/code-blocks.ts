import { globSync, readFileSync } from 'node:fs';

/** A fenced block of a page of the documentation. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly indent: number;
  readonly language: string;
  /** The rest of its first line: `run`, `file=NAME`, `output`, `firing`, `over`, `not-run="REASON"` or a `[title]`. */
  readonly mark: string;
  readonly text: string;
}

/** The pages of the run `reference`. The first one starts the gateway that all of them use. */
export const referencePages: readonly string[] = [
  'admin-api',
  'api',
  'batches',
  'documents',
  'teams',
  'moving',
  'dashboard',
  'compatibility',
  'configuration',
  'upgrading',
  'logs',
];

export function codeBlocks(pages: string | readonly string[]): readonly CodeBlock[] {
  return globSync(pages, { exclude: ['docs/decisions/**', 'docs/dist/**'] })
    .toSorted()
    .flatMap(blocksOf);
}

function blocksOf(page: string): readonly CodeBlock[] {
  const source = readFileSync(page, 'utf8');
  return [...source.matchAll(/^( *)(`{3,})(\S*) *(.*)\n([^]*?)^\1\2$/gm)].map(
    ({ index, 1: indent = '', 3: language = '', 4: mark = '', 5: text = '' }) => ({
      page,
      line: source.slice(0, index).split('\n').length,
      indent: indent.length,
      language,
      mark,
      text,
    }),
  );
}
