import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { PassThroughAnswer, PassThroughRequest, PassThroughStream } from '../../../core/pass-through-call.ts';
import { callProvider } from '../calls/provider-call.ts';
import { FailoverLoop } from '../calls/failover-loop.ts';
import { awaitFirstContent } from './first-content.ts';
import type { RoutedRequest } from '../routed-request.ts';
import type { RouterParts } from '../router-parts.ts';
import { RunningAnswer } from './running-answer.ts';

interface PassOnRequest<Result> extends RoutedRequest {
  /** Reads a complete answer. Throws if it cannot be used; the failover loop then handles the error. */
  read(answer: PassThroughAnswer): Result;
}

/** A stream that has begun, or the result of a complete answer. */
type PassedAnswer<Result> =
  | { readonly stream: PassThroughStream; readonly result?: undefined }
  | { readonly stream?: undefined; readonly result: Result };

/** Waits for a slot and fails over until one has returned a usable answer, or the first bytes of a stream. */
export async function passOn<Result>(
  parts: RouterParts,
  model: Model,
  request: PassThroughRequest,
  routed: PassOnRequest<Result>,
): Promise<PassedAnswer<Result>> {
  const search = new FailoverLoop(parts, model, routed.demand, () => undefined);
  search.follow(routed);
  const { signal } = routed;
  try {
    for (let dispatch = await search.enter(); ; ) {
      const { route, upstream } = dispatch.candidate;
      const opened = await callProvider(dispatch, parts.clock, routed, {
        send: async (target): Promise<PassedAnswer<Result>> => {
          const { adapter } = upstream;
          if (!adapter.pass) throw unsupportedPath(route.upstream, request);
          const answer = await adapter.pass({ ...target, inputsMax: route.embeddingsMax, request }, signal);
          if (!('flow' in answer)) return { result: routed.read(answer) };
          return { stream: { ...answer, flow: await awaitFirstContent(answer.flow) } };
        },
      });
      if (opened.call) {
        const { answer, call } = opened;
        if (answer.stream)
          return { stream: { ...answer.stream, flow: new RunningAnswer(answer.stream.flow, call, signal) } };
        call.end();
        return answer;
      }
      dispatch = await search.failOver(dispatch, opened.error);
    }
  } finally {
    search.releaseRetry();
  }
}

function unsupportedPath(upstream: string, { path }: PassThroughRequest): GatewayError {
  const cause = new Error(`the wire format of upstream ${upstream} has no ${path}`);
  return new GatewayError('upstream-failed', { cause });
}
