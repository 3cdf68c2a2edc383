/** What may be said of a database's address: where it is, never how to get in. */
export function addressText(database: string): string {
  const url = URL.canParse(database) ? new URL(database) : undefined;
  const host = url?.searchParams.get('host') ?? url?.host;
  return host ? `PostgreSQL at ${host}${url?.pathname.replace(/\/$/, '') ?? ''}` : 'PostgreSQL';
}
