import { dirname, join } from 'node:path';
import { importsOf, type SourceFile } from './import-direction.ts';

/** The folders that are checked for circles. */
export const circleRoots = [
  'src',
  'packages/formats',
  'packages/conform',
  'packages/figures',
  'packages/import',
  'packages/dashboard/src',
  'test',
  'scripts',
  'bench',
] as const;

/**
 * Returns a message for every circle of files that import each other. Type imports count too: a reader of one file of a
 * circle has to read all of them.
 */
export function importCircles(files: readonly SourceFile[]): readonly string[] {
  const known = new Set(files.map(({ path }) => path));
  return circlesOf(
    new Map(files.map(({ path, text }) => [path, importsOf(text).flatMap((target) => resolved(path, target, known))])),
  );
}

/**
 * Returns a message for every circle of folders beside each other, at any level. A folder imports what any file in it
 * imports. A file directly in the common folder belongs to no folder beside it.
 */
export function folderCircles(files: readonly SourceFile[]): readonly string[] {
  const levels = new Map<string, Map<string, string[]>>();
  for (const { path, text } of files) {
    for (const target of importsOf(text)) {
      if (target.startsWith('.')) addFolders(levels, path.split('/'), join(dirname(path), target).split('/'));
    }
  }
  return [...levels].flatMap(([level, targets]) => circlesOf(targets).map((circle) => `${level || '.'}: ${circle}`));
}

/** Adds the import to the level at which the two paths part, if both go on into a folder there. */
function addFolders(levels: Map<string, Map<string, string[]>>, from: readonly string[], to: readonly string[]): void {
  const depth = from.findIndex((name, index) => name !== to[index]);
  const [importer = '', imported = ''] = [from[depth], to[depth]];
  if (depth >= from.length - 1 || depth >= to.length - 1) return;
  const level = from.slice(0, depth).join('/');
  const targets = levels.get(level) ?? new Map<string, string[]>();
  levels.set(level, targets);
  const known = targets.get(importer) ?? [];
  if (!known.includes(imported)) targets.set(importer, [...known, imported]);
}

function circlesOf(targets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles = new Map<string, readonly string[]>();
  for (const start of targets.keys()) {
    const circle = shortestWayBack(start, targets);
    // Each member of a circle finds the same circle.
    const name = circle?.toSorted().join(' ');
    if (circle && name !== undefined && !circles.has(name)) circles.set(name, circle);
  }
  return [...circles.values()].map((circle) => `${[...circle, circle[0]].join(' → ')} is a circle`);
}

function resolved(from: string, target: string, known: ReadonlySet<string>): readonly string[] {
  const path = join(dirname(from), target);
  return target.startsWith('.') && known.has(path) ? [path] : [];
}

/** The shortest chain of imports from a file or folder back to itself. */
function shortestWayBack(
  start: string,
  targets: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const waiting = [start];
  for (const file of waiting) {
    for (const target of targets.get(file) ?? []) {
      if (target === start) return wayTo(file, cameFrom);
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      waiting.push(target);
    }
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [end];
  for (let file = cameFrom.get(end); file !== undefined; file = cameFrom.get(file)) way.unshift(file);
  return way;
}
