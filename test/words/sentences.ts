import { isFunction, type Source, type SourceNode } from './source-text.ts';

/** Stands for what only a running gateway knows. */
export const hole = '\u0000';

/** Texts that an expression may come to. Of a parameter the callers know more; what it is unless they say stands here. */
interface Reading {
  readonly texts: readonly string[];
  readonly parameter?: { readonly of: SourceNode; readonly index: number };
}

/** A place where a text leaves the code: an argument of a call, or a field of an argument. */
export interface Way {
  /** The name of what is called. */
  readonly call: string;
  readonly argument: number;
  readonly field?: string;
  /** The file that declares it; unless said, whoever calls something of that name. */
  readonly declaredIn?: string;
  /** What the text becomes; itself unless said. */
  readonly as?: (text: string, call: SourceNode) => string;
}

export interface Sentence {
  readonly text: string;
  /** The call it was found in, and its file. */
  readonly call: SourceNode;
  readonly path: string;
}

/** How often a text may be handed on from function to function. */
const handedOnMax = 4;

/** Every text that goes one of these ways, with a hole for each part that is not written down. */
export function sentencesOn(ways: readonly Way[], sources: ReadonlyMap<string, Source>): readonly Sentence[] {
  const found: Sentence[] = [];
  let open = ways;
  for (let round = 0; open.length > 0 && round < handedOnMax; round += 1) {
    const further: Way[] = [];
    for (const source of sources.values()) {
      for (const { node, inside } of source.nodes) {
        for (const way of open.filter((each) => goes(each, node, source))) {
          const given = argumentOf(node, way);
          if (!given) continue;
          const { texts, parameter } = read(given, { source, sources, inside, depth: 0 });
          const name = parameter && nameOf(parameter.of, source);
          const told = name === undefined ? texts : texts.filter((text) => text !== hole);
          for (const text of told) found.push({ text: way.as?.(text, node) ?? text, call: node, path: source.path });
          if (!parameter || name === undefined) continue;
          const { as } = way;
          const handedOn = { call: name, argument: parameter.index, declaredIn: source.path };
          further.push({ ...handedOn, ...(as && { as: (text: string) => as(text, node) }) });
        }
      }
    }
    open = further;
  }
  return found;
}

function goes({ call, declaredIn }: Way, node: SourceNode, source: Source): boolean {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false;
  const callee = node['callee'] as SourceNode;
  const name = callee['name'] ?? (callee['property'] as SourceNode | undefined)?.['name'];
  if (name !== call) return false;
  return declaredIn === undefined || source.imports.get(call) === declaredIn || source.path === declaredIn;
}

function argumentOf(node: SourceNode, { argument, field }: Way): SourceNode | undefined {
  const given = (node['arguments'] as SourceNode[])[argument];
  return field === undefined ? given : given && fieldOf(given, field);
}

/** What a written object has under a name. */
export function fieldOf(node: SourceNode, field: string): SourceNode | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  const properties = node['properties'] as SourceNode[];
  const found = properties.find((each) => {
    const key = each['key'] as SourceNode | undefined;
    return key !== undefined && (key['name'] ?? key['value']) === field;
  });
  return found?.['value'] as SourceNode | undefined;
}

interface Place {
  readonly source: Source;
  readonly sources: ReadonlyMap<string, Source>;
  readonly inside: SourceNode | undefined;
  readonly depth: number;
}

/** How far one name leads to the next. */
const depthMax = 8;

/** What is written there, as far as it is written. */
export function read(node: SourceNode, place: Place): Reading {
  if (place.depth > depthMax) return unknown;
  const deeper = (child: unknown) => read(child as SourceNode, { ...place, depth: place.depth + 1 });
  switch (node.type) {
    case 'Literal':
      return { texts: [String(node['value'])] };
    case 'TemplateLiteral': {
      const quasis = (node['quasis'] as SourceNode[]).map((each) => (each['value'] as { cooked: string }).cooked);
      const parts = (node['expressions'] as SourceNode[]).map((each) => deeper(each).texts);
      return {
        texts: quasis
          .slice(1)
          .reduce<readonly string[]>(
            (texts, quasi, index) => joined(texts, parts[index] ?? [], quasi),
            [quasis[0] ?? ''],
          ),
      };
    }
    case 'BinaryExpression':
      return { texts: joined(deeper(node['left']).texts, deeper(node['right']).texts, '') };
    case 'ConditionalExpression':
      return { texts: [...deeper(node['consequent']).texts, ...deeper(node['alternate']).texts] };
    case 'LogicalExpression':
      return { texts: [...deeper(node['left']).texts, ...deeper(node['right']).texts] };
    case 'Identifier':
      return named(node['name'] as string, place);
    case 'ObjectExpression':
      return {
        texts: (node['properties'] as SourceNode[]).flatMap((each) =>
          each['value'] ? deeper(each['value']).texts : [],
        ),
      };
    case 'MemberExpression':
      return node['computed'] === true ? deeper(node['object']) : unknown;
    case 'CallExpression':
      return called(node, place);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return deeper(node['expression']);
    default:
      return unknown;
  }
}

const unknown: Reading = { texts: [hole] };

/** Texts that one file may come to are few; more are a sign that something else is read. */
const textsMax = 200;

function joined(before: readonly string[], parts: readonly string[], after: string): readonly string[] {
  return before.flatMap((head) => parts.map((part) => head + part + after)).slice(0, textsMax);
}

function named(name: string, place: Place): Reading {
  const parameters = (place.inside?.['params'] ?? []) as SourceNode[];
  const index = parameters.findIndex(
    (each) => (each['name'] ?? (each['left'] as SourceNode | undefined)?.['name']) === name,
  );
  if (place.inside && index >= 0) {
    const usual = parameters[index]?.['right'] as SourceNode | undefined;
    const { texts } = usual ? read(usual, { ...place, inside: undefined, depth: place.depth + 1 }) : unknown;
    return { texts, parameter: { of: place.inside, index } };
  }
  const here = place.source.bound.get(name);
  if (here && !isFunction(here)) return read(here, { ...place, depth: place.depth + 1 });
  const there = place.sources.get(place.source.imports.get(name) ?? '');
  const value = there?.bound.get(name);
  if (!there || !value || isFunction(value)) return unknown;
  return read(value, { ...place, source: there, inside: undefined, depth: place.depth + 1 });
}

/** What a function of ours gives back, or the text that is only cut or trimmed. */
function called(node: SourceNode, place: Place): Reading {
  const callee = node['callee'] as SourceNode;
  if (callee.type === 'MemberExpression') {
    const method = (callee['property'] as SourceNode)['name'];
    return method === 'slice' || method === 'trim'
      ? read(callee['object'] as SourceNode, { ...place, depth: place.depth + 1 })
      : unknown;
  }
  const body = place.source.bound.get(callee['name'] as string);
  if (!body) return unknown;
  const returned = place.source.nodes.filter((each) => each.inside === body && each.node.type === 'ReturnStatement');
  const texts = returned.flatMap(({ node: each }) =>
    each['argument']
      ? read(each['argument'] as SourceNode, { ...place, inside: body, depth: place.depth + 1 }).texts
      : [],
  );
  return texts.length > 0 ? { texts } : unknown;
}

/** What a function is called, where it stands by itself. */
function nameOf(body: SourceNode, { bound }: Source): string | undefined {
  return [...bound].find(([, value]) => value === body)?.[0];
}
