import { Badge, Tooltip } from '@mantine/core';
import type { StoredBodies } from '../../api/wire.ts';
import { keptFor } from '../../components/body-terms.ts';
import { useText } from '../../text/text.tsx';

/** Marks a key whose requests are stored. */
export function StoredBadge({ bodies }: { readonly bodies: StoredBodies | undefined }) {
  const { t } = useText();
  if (!bodies?.allowed) return null;
  return (
    <Tooltip label={t('bodies.keyNotice', { time: keptFor(bodies, t) })} maw={360} multiline>
      <Badge size="sm" color="yellow" tabIndex={0}>
        {t('bodies.badge')}
      </Badge>
    </Tooltip>
  );
}
