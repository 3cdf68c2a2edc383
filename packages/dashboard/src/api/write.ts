import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useErrorText } from '../text/error-text.ts';
import { notifyFailure, notifySuccess } from '../text/notify.ts';
import { useText } from '../text/text.tsx';
import { useOwnerOf } from './account.tsx';
import { adoptReply } from './adopt-reply.ts';
import { ApiError } from './api-error.ts';
import { call, type CallOptions } from './call.ts';
import { intents, singleFlight } from './intents.ts';
import { refresh } from './queries.ts';

export interface Write<Body, Reply = unknown> {
  readonly method?: CallOptions['method'];
  /** The path, or a function that builds it from the body. */
  readonly path: string | ((body: Body) => string);
  /** Builds the request body from the caller's value, once per intent. Default: the value itself. */
  readonly send?: (body: Body) => unknown;
  /** The version that the user saw. */
  readonly ifMatch?: (body: Body) => string | undefined;
  /** The paths to read again afterwards. */
  readonly changes?: readonly string[];
  /**
   * The notification after a success; none if the page itself shows the result. Appears even if the user has left the
   * page.
   */
  readonly successMessage?: (body: Body, reply: Reply) => string | undefined;
  /** Also shows failures as a notification, for pages without an error notice. */
  readonly isFailureNotified?: boolean;
}

/**
 * Dialogs stay open while they write, so a write must end. A write without an answer can be sent again with the same
 * key.
 */
const writeMsMax = 60_000;

/** A write that takes effect once, even if it is retried. The paths it changes are read again afterwards. */
export function useWrite<Reply = unknown, Body = void>(write: Write<Body, Reply>) {
  const client = useQueryClient();
  const ownerOf = useOwnerOf();
  const [open] = useState(() => intents());
  const [inFlight] = useState(() => singleFlight<Reply>());
  const hasLeft = useHasLeft();
  const { t } = useText();
  const textOf = useErrorText();
  const pathOf = (body: Body) => (typeof write.path === 'string' ? write.path : write.path(body));
  return useMutation<Reply, ApiError, Body>({
    mutationFn: (body) => {
      const path = pathOf(body);
      const method = write.method ?? 'POST';
      const owner = ownerOf(path);
      const name = JSON.stringify([method, path, owner, body]);
      return inFlight.run(name, async () => {
        const { idempotencyKey, body: sent } = open.begin(name, () => (write.send ? write.send(body) : body));
        const ifMatch = write.ifMatch?.(body);
        const signal = AbortSignal.timeout(writeMsMax);
        const options = {
          method,
          owner,
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
      const { changes = [], successMessage } = write;
      adoptReply(client, { path: pathOf(body), reply, changes });
      // Not awaited: the user sees the success at once, however long the reads take.
      void refresh(client, ...changes);
      const message = successMessage?.(body, reply);
      if (message !== undefined) notifySuccess(message);
    },
    onError: (error) => {
      // It was removed meanwhile. Refresh the lists, so that they no longer show it.
      if (error.isGone) void refresh(client, ...(write.changes ?? []));
      const title = t(error.isGone ? 'common.notFoundTitle' : 'common.errorTitle');
      if (write.isFailureNotified || hasLeft()) notifyFailure(title, textOf(error));
    },
  });
}

/** Whether the user has left the page, which then cannot show how the write ended. */
function useHasLeft(): () => boolean {
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  return () => left.current;
}
