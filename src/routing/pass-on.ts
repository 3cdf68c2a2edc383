import type { Model } from '../core/model.ts';
import type { PlainAnswer, PlainRequest } from '../core/plain-call.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { attemptAt, cameToNothing, nothingCame } from './attempt.ts';
import type { Dispatch } from './dispatch.ts';
import type { RoutedRequest } from './routed-request.ts';
import type { RouterParts } from './router-parts.ts';
import { Search } from './search.ts';

interface Passed<Result> extends RoutedRequest {
  /** Makes of an answer what it is wanted for; throws what goes on to the next upstream if it is of no use. */
  read(answer: PlainAnswer): Result;
}

/**
 * The way down of a body that is handed on as it is: waits for a place, asks, and goes on to the next upstream until one
 * has given a whole answer that can be used.
 */
export async function passOn<Result>(
  parts: RouterParts,
  model: Model,
  request: PlainRequest,
  routed: Passed<Result>,
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

type Tried<Result> =
  | { readonly result: { readonly value: Result }; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown };

/** One call of an upstream. The place is given back with an answer, and left to the caller if there is none. */
async function passTo<Result>(
  dispatch: Dispatch,
  request: PlainRequest,
  { clock }: RouterParts,
  routed: Passed<Result>,
): Promise<Tried<Result>> {
  const { candidate, place } = dispatch;
  const { route, upstream, credential } = candidate;
  const { signal, calls } = routed;
  const beganMs = clock.elapsed();
  const about = attemptAt(dispatch, beganMs);
  let value: Result;
  try {
    const { pass } = upstream.adapter;
    if (!pass) throw unspoken(route.upstream, request);
    const asked = { model: route.model, request, credential: credential.index, sent: () => calls.sent() };
    value = routed.read(await pass(asked, signal));
  } catch (error) {
    cameToNothing(candidate, error, routed);
    routed.attempted({ ...about, ...nothingCame(error), endedMs: clock.elapsed() });
    return { error };
  }
  const endedMs = clock.elapsed();
  credential.begun(route.model, endedMs - beganMs);
  credential.completed(route.model);
  place.leave();
  routed.attempted({ ...about, endedMs, status: 200, firstEventMs: endedMs - beganMs, error: undefined });
  return { result: { value } };
}

function unspoken(upstream: string, { path }: PlainRequest): GatewayError {
  const cause = new Error(`upstream ${upstream} speaks a format that has no ${path}`);
  return new GatewayError('upstream-failed', { cause });
}
