/** The address of a database without its credentials, safe to print. */
export function addressText(database: string): string {
  const url = URL.canParse(database) ? new URL(database) : undefined;
  const host = url?.searchParams.get('host') ?? url?.host;
  return host ? `PostgreSQL at ${host}${url?.pathname.replace(/\/$/, '') ?? ''}` : 'PostgreSQL';
}
