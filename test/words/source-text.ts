import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A node of a program, as far as one looks at it. */
export interface SourceNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One file, taken apart. */
export interface Source {
  readonly path: string;
  /** Every node, with the function it stands in. */
  readonly nodes: readonly { readonly node: SourceNode; readonly inside: SourceNode | undefined }[];
  /** What a name is first bound to: a function, or the value of a constant. */
  readonly bound: ReadonlyMap<string, SourceNode>;
  /** Where an imported name comes from. */
  readonly imports: ReadonlyMap<string, string>;
}

/** Every program of these folders but the tests, by its path. */
export function sourcesIn(folders: readonly string[]): ReadonlyMap<string, Source> {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  return new Map(paths.map((path) => [path, sourceOf(path)]));
}

function sourceOf(path: string): Source {
  const nodes: Source['nodes'][number][] = [];
  const bound = new Map<string, SourceNode>();
  const imports = new Map<string, string>();
  const visit = (node: SourceNode, inside: SourceNode | undefined): void => {
    nodes.push({ node, inside });
    const name = (node['id'] as SourceNode | null | undefined)?.['name'] as string | undefined;
    if (node.type === 'FunctionDeclaration' && name !== undefined) bound.set(name, node);
    if (node.type === 'VariableDeclarator' && name !== undefined && node['init'] && !bound.has(name))
      bound.set(name, node['init'] as SourceNode);
    if (node.type === 'ImportDeclaration') {
      const from = join(dirname(path), String((node['source'] as SourceNode)['value']));
      for (const each of node['specifiers'] as SourceNode[])
        imports.set((each['local'] as SourceNode)['name'] as string, from);
    }
    const scope = isFunction(node) ? node : inside;
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, scope);
    }
  };
  visit(parseAst(readFileSync(path, 'utf8'), { lang: 'ts' }) as unknown as SourceNode, undefined);
  return { path, nodes, bound, imports };
}

export function isFunction({ type }: SourceNode): boolean {
  return type === 'FunctionDeclaration' || type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}

function isNode(value: unknown): value is SourceNode {
  return typeof value === 'object' && value !== null && typeof (value as SourceNode).type === 'string';
}
