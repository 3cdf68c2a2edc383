import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useErrorText } from '../text/error-text.ts';
import { tell, tellFailure } from '../text/tell.ts';
import { useText } from '../text/text.tsx';
import { useAccountChoice } from './account.tsx';
import { adoptReply } from './adopt-reply.ts';
import { ApiError } from './api-error.ts';
import { call, type CallOptions } from './call.ts';
import { intents } from './intents.ts';
import { joinable } from './joinable.ts';
import { belongsToAccount, refresh } from './queries.ts';

export interface Write<Body, Reply = unknown> {
  readonly method?: CallOptions['method'];
  /** The path, or how the body names it. */
  readonly path: string | ((body: Body) => string);
  /** What is sent for what the caller gives, made once for each intent; the same if left out. */
  readonly send?: (body: Body) => unknown;
  /** The version that was seen of what is changed. */
  readonly ifMatch?: (body: Body) => string | undefined;
  /** What has to be read again afterwards. */
  readonly changes?: readonly string[];
  /** What is said once it is done; nothing, where the page says it. Who has left the page by then is told as well. */
  readonly told?: (body: Body, reply: Reply) => string | undefined;
  /** Where a page has no place for what went wrong, that is said in the corner too. */
  readonly tellsFailure?: boolean;
}

/** Dialogs stay open while they write, so no write may take for ever. One without an answer is sent again as the same. */
const writeMsMax = 60_000;

/** A write that happens once, however often it has to be tried; what it changes is then read again. */
export function useWrite<Reply = unknown, Body = void>(write: Write<Body, Reply>) {
  const client = useQueryClient();
  const { account } = useAccountChoice();
  const [open] = useState(() => intents());
  const [underWay] = useState(() => joinable<Reply>());
  const isLeft = useIsLeft();
  const { t } = useText();
  const textOf = useErrorText();
  const pathOf = (body: Body) => (typeof write.path === 'string' ? write.path : write.path(body));
  return useMutation<Reply, ApiError, Body>({
    mutationFn: (body) => {
      const path = pathOf(body);
      const method = write.method ?? 'POST';
      const owner = belongsToAccount(path) ? account?.id : undefined;
      const name = JSON.stringify([method, path, owner, body]);
      return underWay.join(name, async () => {
        const { idempotencyKey, body: sent } = open.begin(name, () => (write.send ? write.send(body) : body));
        const ifMatch = write.ifMatch?.(body);
        const signal = AbortSignal.timeout(writeMsMax);
        const options = {
          method,
          account: owner,
          idempotencyKey,
          ifMatch,
          signal,
          ...(sent !== undefined && { body: sent }),
        };
        try {
          const reply = await call<Reply>(path, options);
          open.end(name);
          return reply;
        } catch (error) {
          if (error instanceof ApiError && error.isAnswer) open.end(name);
          throw error;
        }
      });
    },
    onSuccess: (reply, body) => {
      const { changes = [], told } = write;
      adoptReply(client, { path: pathOf(body), reply, changes });
      // Not waited for: who wrote is told at once, however long it takes to read everything again.
      void refresh(client, ...changes);
      const message = told?.(body, reply);
      if (message !== undefined) tell(message);
    },
    onError: (error) => {
      // Somebody else has removed it before: who is told so shall not see it in the list any longer.
      if (error.isGone) void refresh(client, ...(write.changes ?? []));
      const title = t(error.isGone ? 'common.goneTitle' : 'common.errorTitle');
      if (write.tellsFailure || isLeft()) tellFailure(title, textOf(error));
    },
  });
}

/** Whether whoever wrote has gone elsewhere, where nothing of the page is left that could say how it ended. */
function useIsLeft(): () => boolean {
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  return () => left.current;
}
