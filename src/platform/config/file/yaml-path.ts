import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import type { Path } from './problem.ts';

/** Returns the node at the path. It follows aliases. */
export function nodeAt(document: Document, path: Path): Node | undefined {
  let node: unknown = document.contents;
  for (const step of path) node = child(document, node, step)?.value;
  if (isAlias(node)) return node.resolve(document);
  return isNode(node) ? node : undefined;
}

/** Returns the node at the path. If it does not exist, returns the last node on the path that does. */
export function nearestNode(document: Document, path: Path, isAtName = false): Node | undefined {
  let node: Node | undefined = document.contents ?? undefined;
  for (const [index, step] of path.entries()) {
    const next = child(document, node, step);
    if (isAtName && index === path.length - 1 && isNode(next?.name)) return next.name;
    if (!isNode(next?.value)) return isNode(next?.name) ? next.name : node;
    node = next.value;
  }
  return node;
}

function child(
  document: Document,
  parent: unknown,
  step: string | number,
): { name?: unknown; value: unknown } | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isSeq(node)) return { value: node.items[Number(step)] };
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
  return pair && { name: pair.key, value: pair.value };
}
