import { serviceAccountOf } from '../../../platform/config/schema/service-account.ts';
import type { UpstreamSpec } from '../../../platform/config/schema/upstream.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { attributed } from '../answer/attribution.ts';
import { redactor } from '../answer/redaction.ts';
import type { HttpPools } from '../http1/pool.ts';
import { awsSignature, type AwsCredentials, type UnsignedRequest } from './aws-signature.ts';
import { GoogleTokens } from './google-token.ts';

/** Authorizes requests with headers that cannot be computed in advance: a signature, or a token of limited life. */
export interface RequestSigner {
  /** Whether `headersFor` can be called without `prepare`. */
  readonly isReady: boolean;
  /** Rejects with a `GatewayError`, or with the reason of the signal. */
  prepare(signal: AbortSignal): Promise<void>;
  headersFor(request: UnsignedRequest): Readonly<Record<string, string>>;
  /** Removes its secrets from a text. */
  redact(text: string): string;
}

export type SignerSpec = Pick<
  UpstreamSpec,
  'name' | 'region' | 'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'serviceAccount'
>;

interface SignerDeps {
  readonly clock: Clock;
  readonly pools: HttpPools;
}

/** The signer for the credentials of the spec. Undefined if they are keys, which every request sends unchanged. */
export function requestSigner(spec: SignerSpec, deps: SignerDeps): RequestSigner | undefined {
  const { region, accessKeyId, secretAccessKey, sessionToken, serviceAccount } = spec;
  if (serviceAccount !== undefined) return googleSigner(spec.name, serviceAccount, deps);
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return awsSigner({ accessKeyId, secretAccessKey, sessionToken }, region, deps.clock);
}

function awsSigner(credentials: AwsCredentials, region: string, clock: Clock): RequestSigner {
  const scope = { region, service: 'bedrock' };
  const secrets = Object.values({ ...credentials }).filter((each) => each !== undefined);
  return {
    isReady: true,
    prepare: async (signal) => signal.throwIfAborted(),
    headersFor: (request) => awsSignature(request, credentials, scope, clock.now()),
    redact: redactor(secrets),
  };
}

function googleSigner(upstream: string, document: string, { clock, pools }: SignerDeps): RequestSigner {
  const account = serviceAccountOf(document);
  const hide = redactor([account.privateKey]);
  const redact = (text: string): string => {
    const { current } = tokens;
    return hide(current === undefined ? text : text.replaceAll(current, '[redacted]'));
  };
  const tokens = new GoogleTokens(account, { upstream, clock, pools, redact });
  return {
    get isReady() {
      return tokens.isCurrent;
    },
    async prepare(signal) {
      signal.throwIfAborted();
      if (tokens.isCurrent) return;
      const renewed = tokens.renew().catch((error: unknown) => {
        throw attributed(error, upstream, redact);
      });
      await untilAborted(renewed, signal);
    },
    headersFor: () => ({ authorization: `Bearer ${tokens.current ?? ''}` }),
    redact,
  };
}

/** The request for a token serves other callers too, so an abort ends only the wait for it. */
function untilAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    done.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
