import type { Key } from '../../api/wire.ts';
import { useWrite } from '../../api/queries.ts';
import type { KeyScope } from './key-scope.ts';

export interface HonourWish {
  readonly id: string;
  readonly isHonoured: boolean;
}

/** Decides whether a key that asks for one JSON body gets it, or the stream that is the answer otherwise. */
export function useHonourStreamFalse(path: KeyScope['path'] = '/account/v1/keys') {
  return useWrite<Key, HonourWish>({
    method: 'PATCH',
    path: ({ id }) => `${path}/${id}`,
    send: ({ isHonoured }) => ({ honour_stream_false: isHonoured }),
    changes: [path, '/account/v1/overview'],
  });
}
