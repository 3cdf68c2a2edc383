import { Badge } from '@mantine/core';
import type { OwnModel } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';

/** The APIs that accept a model, and its known capabilities. */
export function ModelTags({ model }: { readonly model: OwnModel }) {
  const { t } = useText();
  return (
    <>
      {model.surfaces.includes('openai') && (
        <Badge color="gray" mr={4}>
          {t('models.chat')}
        </Badge>
      )}
      {model.surfaces.includes('anthropic') && (
        <Badge color="gray" mr={4}>
          {t('models.messages')}
        </Badge>
      )}
      {model.surfaces.includes('openai-response') && (
        <Badge color="gray" mr={4}>
          {t('models.responses')}
        </Badge>
      )}
      {model.endpoints.map((endpoint) => (
        <Badge key={endpoint} color="gray" mr={4}>
          {endpoint}
        </Badge>
      ))}
      {model.thinking && (
        <Badge color="indigo" mr={4}>
          {t('models.thinking')}
        </Badge>
      )}
      {model.price.is_free && <Badge color="accent">{t('models.free')}</Badge>}
    </>
  );
}
