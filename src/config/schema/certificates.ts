import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigProblem } from '../file/problem.ts';
import type { UpstreamSpec } from './upstream.ts';
import { broken } from '../../core/reasons/reason.ts';

const fileBytesMax = 1024 * 1024;

/** Reads the certificate files of upstreams. It runs at each reload, which therefore applies changed certificates. */
export function withCertificates(
  upstreams: readonly UpstreamSpec[],
  folder: string,
): { readonly upstreams: readonly UpstreamSpec[]; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const read = upstreams.map((spec, index) => {
    if (spec.caFile === undefined) return spec;
    const file = resolve(folder, spec.caFile);
    try {
      return { ...spec, ca: certificatesIn(file) };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const fix = `Put PEM certificates into ${file}, or name the right file.`;
      problems.push({ path: ['upstreams', index, 'ca_file'], ...broken('unusable_certificate', { problem }), fix });
      return spec;
    }
  });
  return { upstreams: read, problems };
}

function certificatesIn(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (text.length > fileBytesMax) throw new Error('it is larger than 1 MiB');
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error('it contains no certificate');
  return certificates.map((certificate) => new X509Certificate(certificate).toString()).join('\n');
}
