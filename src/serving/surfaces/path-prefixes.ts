/**
 * The endpoints that a path below one of the prefixes of a site may stand for, in the order in which they are tried. The
 * chat surface comes first, because both surfaces have `/models`.
 */
export function prefixedPaths(path: string, prefixes: readonly string[], messagesPrefix: string): readonly string[] {
  return prefixes.flatMap((prefix) => {
    if (!path.startsWith(`${prefix}/`)) return [];
    const tail = path.slice(prefix.length);
    return [`/v1${tail}`, `${messagesPrefix}/v1${tail}`];
  });
}
