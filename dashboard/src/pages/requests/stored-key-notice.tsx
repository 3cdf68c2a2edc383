import { Alert } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import type { Key } from '../../api/wire.ts';
import { keptFor, useStoredBodies } from '../../components/body-terms.ts';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { Scope } from './scope.ts';

/** A notice above the requests of a key: their bodies are stored. */
export function StoredKeyNotice({ scope, keyId }: { readonly scope: Scope; readonly keyId: string }) {
  const { t } = useText();
  const { data: terms } = useStoredBodies(scope.isOperator);
  const path = scope.isOperator ? '/admin/v1/keys' : '/account/v1/keys';
  const { data: key } = useRead<Key>(`${path}/${encodeURIComponent(keyId)}`, {}, { staleTime: 60_000 });
  if (!terms?.allowed || !key?.store_bodies) return null;
  return (
    <Alert color="yellow" icon={<WarningIcon />} mb="md" role="status">
      {t('bodies.keyNotice', { time: keptFor(terms, t) })}
    </Alert>
  );
}
