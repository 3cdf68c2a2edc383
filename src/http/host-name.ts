/** The host of a Host header: lower case, without the port. */
export function hostName(host: string | undefined): string {
  return (host ?? '').replace(/:\d*$/, '').toLowerCase();
}
