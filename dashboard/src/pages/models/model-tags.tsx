import { Badge } from '@mantine/core';
import type { OwnModel } from '../../api/wire.ts';
import { Clip } from '../../components/clip.tsx';
import { useText } from '../../text/text.tsx';

/** The APIs that accept a model, and its known capabilities. */
export function ModelTags({ model }: { readonly model: OwnModel }) {
  const { t } = useText();
  return (
    <Clip>
      {model.surfaces.includes('openai') && <Badge color="gray">{t('models.chat')}</Badge>}
      {model.surfaces.includes('anthropic') && <Badge color="gray">{t('models.messages')}</Badge>}
      {model.surfaces.includes('openai-response') && <Badge color="gray">{t('models.responses')}</Badge>}
      {model.endpoints.map((endpoint) => (
        <Badge key={endpoint} color="gray">
          {endpoint}
        </Badge>
      ))}
      {model.thinking && <Badge color="indigo">{t('models.thinking')}</Badge>}
      {model.price.is_free && <Badge color="accent">{t('models.free')}</Badge>}
    </Clip>
  );
}
