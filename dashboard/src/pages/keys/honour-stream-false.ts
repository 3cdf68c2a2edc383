import type { Key } from '../../api/wire.ts';
import { useWrite } from '../../api/queries.ts';

export interface HonourWish {
  readonly id: string;
  readonly isHonoured: boolean;
}

/** Decides whether a key that asks for one JSON body gets it, or the stream that is the answer otherwise. */
export function useHonourStreamFalse() {
  return useWrite<Key, HonourWish>({
    method: 'PATCH',
    path: ({ id }) => `/account/v1/keys/${id}`,
    send: ({ isHonoured }) => ({ honour_stream_false: isHonoured }),
    changes: ['/account/v1/keys', '/account/v1/overview'],
  });
}
