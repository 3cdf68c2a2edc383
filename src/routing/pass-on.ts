import type { Model } from '../core/model.ts';
import type { PassThroughAnswer, PassThroughRequest, PassThroughStream } from '../core/pass-through-call.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { attemptAt, cameToNothing, nothingCame } from './attempt.ts';
import type { Dispatch } from './dispatch.ts';
import type { RoutedRequest } from './routed-request.ts';
import type { RouterParts } from './router-parts.ts';
import { awaitFirstContent } from './first-content.ts';
import { RunningAnswer } from './running-answer.ts';
import { Search } from './search.ts';

interface PassOnRequest<Result> extends RoutedRequest {
  /**
   * Converts an answer to the result. Throws if the answer cannot be used; the failover loop then handles the error.
   */
  read(answer: PassThroughAnswer | PassThroughStream): Result;
}

/**
 * Routes a pass-through request: waits for a slot, calls the upstream, and fails over until one has returned a complete
 * answer that can be used, or the first bytes of a stream.
 */
export async function passOn<Result>(
  parts: RouterParts,
  model: Model,
  request: PassThroughRequest,
  routed: PassOnRequest<Result>,
): Promise<Result> {
  const search = new Search(parts, model, routed.demand, () => undefined);
  search.follow(routed);
  try {
    for (let dispatch = await search.enter(); ; ) {
      const { result, error } = await passTo(dispatch, request, parts, routed);
      if (result) return result.value;
      dispatch = await search.goOn(dispatch, error);
    }
  } finally {
    search.rest();
  }
}

type PassOnOutcome<Result> =
  | { readonly result: { readonly value: Result }; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown };

/**
 * One call of an upstream. The slot is released at the end of an answer; without an answer the caller still owns it.
 */
async function passTo<Result>(
  dispatch: Dispatch,
  request: PassThroughRequest,
  { clock }: RouterParts,
  routed: PassOnRequest<Result>,
): Promise<PassOnOutcome<Result>> {
  const { candidate, slot } = dispatch;
  const { route, upstream, credential } = candidate;
  const { signal, calls } = routed;
  const beganMs = clock.elapsed();
  const trace = routed.trace?.call();
  const about = attemptAt({ ...dispatch, trace }, beganMs);
  let value: Result;
  let isStream = false;
  try {
    const { pass } = upstream.adapter;
    if (!pass) throw unspoken(route.upstream, request);
    const { model, embeddingsMax: inputsMax } = route;
    const tells = { sent: () => calls.sent(), refused: () => calls.undone() };
    const asked = { model, inputsMax, request, credential: credential.index, trace, ...tells };
    const came = await pass(asked, signal);
    isStream = 'flow' in came;
    value = routed.read('flow' in came ? await running(came, dispatch, request, signal) : came);
  } catch (error) {
    cameToNothing(candidate, error, routed);
    routed.attempted({ ...about, ...nothingCame(error), endedMs: clock.elapsed() });
    return { error };
  }
  const endedMs = clock.elapsed();
  credential.begun(route.model, endedMs - beganMs);
  if (!isStream) {
    credential.completed(route.model);
    slot.leave();
  }
  routed.attempted({ ...about, endedMs, status: 200, firstEventMs: endedMs - beganMs, error: undefined });
  return { result: { value } };
}

/** A stream whose first bytes have arrived; from now on it owns the slot. */
async function running(
  { contentType, flow }: PassThroughStream,
  { candidate, slot }: Dispatch,
  { bytes }: PassThroughRequest,
  signal: AbortSignal,
): Promise<PassThroughStream> {
  const begun = await awaitFirstContent(flow);
  return { contentType, flow: new RunningAnswer(begun, { slot, candidate, signal, bytes }) };
}

function unspoken(upstream: string, { path }: PassThroughRequest): GatewayError {
  const cause = new Error(`the wire format of upstream ${upstream} has no ${path}`);
  return new GatewayError('upstream-failed', { cause });
}
