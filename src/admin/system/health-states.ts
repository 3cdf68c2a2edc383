import type { CredentialReport } from '../../routing/upstream-report.ts';

/** From best to worst. */
export const credentialStates = ['healthy', 'ramping', 'half-open', 'ejected', 'disabled'] as const;

type CredentialState = (typeof credentialStates)[number];

/** The state of an upstream is that of its best credential, since requests go there. */
export function upstreamState(credentials: readonly Pick<CredentialReport, 'state'>[]): CredentialState {
  return credentialStates.find((state) => credentials.some((credential) => credential.state === state)) ?? 'healthy';
}
