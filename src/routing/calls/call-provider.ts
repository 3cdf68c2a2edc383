import type { Clock } from '../../core/time/clock.ts';
import type { RequestTrace } from '../../core/request-trace.ts';
import type { UpstreamCall } from '../../upstreams/upstream.ts';
import type { Attempt } from './attempt.ts';
import type { CallListener } from './call-listener.ts';
import type { Dispatch } from './dispatch.ts';
import { refusalStatusOf } from './error-class.ts';
import { ProviderCall } from './provider-call.ts';

/** The part of a request that a call uses. */
interface CallingRequest {
  readonly signal: AbortSignal;
  readonly trace?: RequestTrace | undefined;
  readonly calls: CallListener;
  attempted(attempt: Attempt): void;
}

/** The part of a call that does not depend on its endpoint. */
type CallTarget = Required<Pick<UpstreamCall, 'model' | 'credential' | 'sent' | 'refused'>> &
  Pick<UpstreamCall, 'trace'>;

/** How to send a request to a provider. */
interface Sending<Answer> {
  /** Size of the prompt; left out if tokens do not measure the call. */
  readonly promptBytes?: number;
  /** Resolves at the first content of the answer. */
  send(target: CallTarget): Promise<Answer>;
}

type CallOutcome<Answer> =
  | { readonly answer: Answer; readonly call: ProviderCall; readonly error?: undefined }
  | { readonly call?: undefined; readonly error: unknown };

/** Calls the provider of a dispatch. The answer must end `call`; without an answer the caller owns the slot. */
export async function callProvider<Answer>(
  dispatch: Dispatch,
  clock: Clock,
  request: CallingRequest,
  sending: Sending<Answer>,
): Promise<CallOutcome<Answer>> {
  const { signal, calls } = request;
  const { route, credential } = dispatch.candidate;
  const trace = dispatch.trace ?? request.trace?.call();
  const call = new ProviderCall(
    { ...dispatch, trace },
    dispatch.earlyCall?.beganMs ?? clock.elapsed(),
    sending.promptBytes,
  );
  const callbacks = { sent: () => calls.sent(), refused: () => calls.undone() };
  try {
    const answer = await sending.send({ model: route.model, credential: credential.index, trace, ...callbacks });
    request.attempted(call.begin(clock.elapsed()));
    return { answer, call };
  } catch (error) {
    request.attempted(call.fail(error, clock.elapsed(), signal.aborted));
    // A refused call costs nothing, also if its client has left.
    if (!signal.aborted || refusalStatusOf(error) !== undefined) calls.undone();
    return { error };
  }
}
