/** Where a model is explained. Its id may hold a slash, which has to stay within its segment. */
export function modelPath(id: string): string {
  return `/app/models/${encodeURIComponent(id)}`;
}
