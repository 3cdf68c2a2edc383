import type { CredentialReport } from '../routing/upstream-report.ts';

/** From the best to the worst. */
export const credentialStates = ['healthy', 'ramping', 'half-open', 'ejected', 'disabled'] as const;

type CredentialState = (typeof credentialStates)[number];

/** How an upstream stands: as its best credential does, since requests go there. */
export function standingOf(credentials: readonly Pick<CredentialReport, 'state'>[]): CredentialState {
  return credentialStates.find((state) => credentials.some((credential) => credential.state === state)) ?? 'healthy';
}
