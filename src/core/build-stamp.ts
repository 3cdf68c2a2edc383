/**
 * When this build was made, in the form of `x-gateway-version`. `npm run build` writes the time of the commit here;
 * source that runs as it is finds out when it starts, and says so.
 */
export const buildStamp = '19700101-000000';

/** A time as `YYYYMMDD-HHMMSS` in UTC. */
export function stampText(time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T');
  return `${date.replaceAll('-', '')}-${clock.slice(0, 8).replaceAll(':', '')}`;
}
