import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/** A node of a syntax tree. Only the members that are read here are listed. */
interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Deeper fields belong to a value, such as a schema, and not to the request. */
const depthMax = 7;

/**
 * The paths of all fields that a type of a declaration file has, such as `tools[].max_uses`. A type that is declared in
 * another file has no fields here.
 */
export function fieldsOfType(file: string, root: string): ReadonlySet<string> {
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  const types = new Map<string, Node>();
  declare(program.body as unknown as readonly Node[], '', types);
  const found = new Set<string>();
  const type = types.get(root);
  if (!type) throw new Error(`${file} declares no ${root}`);
  collect(type, { path: '', scope: root, seen: [] }, { types, found });
  return found;
}

function declare(statements: readonly Node[], prefix: string, types: Map<string, Node>): void {
  for (const statement of statements) {
    const node = (statement['declaration'] as Node | null | undefined) ?? statement;
    const name = `${prefix}${String((node['id'] as Node | undefined)?.['name'])}`;
    if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration') types.set(name, node);
    if (node.type === 'TSModuleDeclaration') declare((node['body'] as { body: Node[] }).body, `${name}.`, types);
  }
}

interface Place {
  readonly path: string;
  /** The declaration that contains the node: names are looked up inside it first. */
  readonly scope: string;
  /** The types on the way here: a type that contains itself is entered once. */
  readonly seen: readonly string[];
}

interface Collected {
  readonly types: ReadonlyMap<string, Node>;
  readonly found: Set<string>;
}

function collect(node: Node, place: Place, all: Collected): void {
  const nodes = (member: string): readonly Node[] => (node[member] as readonly Node[] | undefined) ?? [];
  switch (node.type) {
    case 'TSInterfaceDeclaration':
      for (const parent of nodes('extends')) enter(nameOf(parent['expression'] as Node), place, all);
      return collect(node['body'] as Node, place, all);
    case 'TSTypeAliasDeclaration':
      return collect(node['typeAnnotation'] as Node, place, all);
    case 'TSInterfaceBody':
    case 'TSTypeLiteral':
      for (const member of nodes(node.type === 'TSTypeLiteral' ? 'members' : 'body')) collectField(member, place, all);
      return;
    case 'TSUnionType':
    case 'TSIntersectionType':
      for (const type of nodes('types')) collect(type, place, all);
      return;
    case 'TSArrayType':
      return collect(node['elementType'] as Node, { ...place, path: `${place.path}[]` }, all);
    case 'TSTypeReference': {
      const name = nameOf(node['typeName'] as Node);
      const [argument] = ((node['typeArguments'] as Node | null)?.['params'] as readonly Node[] | undefined) ?? [];
      if (name !== 'Array' || !argument) return enter(name, place, all);
      return collect(argument, { ...place, path: `${place.path}[]` }, all);
    }
    default:
  }
}

function collectField(member: Node, place: Place, all: Collected): void {
  const key = member['key'] as Node | undefined;
  const name = key?.['name'] ?? key?.['value'];
  const annotation = member['typeAnnotation'] as Node | null | undefined;
  if (member.type !== 'TSPropertySignature' || typeof name !== 'string') return;
  const path = place.path === '' ? name : `${place.path}.${name}`;
  all.found.add(path);
  if (annotation && path.split('.').length < depthMax)
    collect(annotation['typeAnnotation'] as Node, { ...place, path }, all);
}

function enter(name: string, place: Place, all: Collected): void {
  const scopes = place.scope.split('.').map((_, at, parts) => `${parts.slice(0, parts.length - at).join('.')}.`);
  const full = [...scopes, ''].map((scope) => `${scope}${name}`).find((each) => all.types.has(each));
  const type = full === undefined ? undefined : all.types.get(full);
  if (!type || full === undefined || place.seen.includes(full)) return;
  collect(type, { ...place, scope: full, seen: [...place.seen, full] }, all);
}

function nameOf(node: Node): string {
  if (node.type === 'TSQualifiedName') return `${nameOf(node['left'] as Node)}.${nameOf(node['right'] as Node)}`;
  return String(node['name']);
}
