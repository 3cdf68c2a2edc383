import type { Key } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';

export interface HonourChange extends Pick<Key, 'id' | 'name'> {
  readonly isHonoured: boolean;
}

/** Sets whether a key that sends `stream: false` gets one JSON body, or the default stream. */
export function useHonourStreamFalse(path: KeyScope['path'] = '/account/v1/keys') {
  const { t } = useText();
  return useWrite<Key, HonourChange>({
    method: 'PATCH',
    path: ({ id }) => `${path}/${id}`,
    send: ({ isHonoured }) => ({ honour_stream_false: isHonoured }),
    changes: [path, '/account/v1/overview'],
    successMessage: ({ isHonoured, name }) => t(isHonoured ? 'keys.nowNonStreaming' : 'keys.nowStreaming', { name }),
    isFailureNotified: true,
  });
}
