import { isIP } from 'node:net';
import { connect, createSecureContext, getCACertificates } from 'node:tls';
import { type Area, type DoctorFinding, ok, problem, warning } from './finding.ts';

const dayMs = 86_400_000;
const renewDays = 14;
const timeoutMs = 5000;

/** Expiry time of a server's certificate; `undefined` if the connection fails, which another check reports. */
export function certificateEnd({ hostname, port }: URL, ca: string | undefined): Promise<number | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: isIP(host) ? '' : host,
      ...(ca !== undefined && { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ca] }) }),
    });
    const done = (end: number | undefined): void => {
      resolve(end);
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, () => done(undefined));
    socket.once('secureConnect', () => done(Date.parse(socket.getPeerCertificate().valid_to) || undefined));
    socket.once('error', () => done(undefined));
  });
}

export function certificateFinding(area: Area, owner: string, endMs: number, nowMs: number): DoctorFinding {
  const days = Math.floor((endMs - nowMs) / dayMs);
  const fix = 'Renew it, and check why automatic renewal failed.';
  if (days < 0) return problem(area, `The certificate of ${owner} has expired.`, fix);
  const text = `The certificate of ${owner} is valid for ${days} days.`;
  return days < renewDays ? warning(area, text, fix) : ok(area, text);
}
