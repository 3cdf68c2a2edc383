/** The page of a model. An id may contain a slash, which must stay within its segment. */
export function modelPath(id: string): string {
  return `/app/models/${encodeURIComponent(id)}`;
}
