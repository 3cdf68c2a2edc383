import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { CreatedKey, OwnModel, OwnModels } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { snippetsOf } from '../models/snippets.ts';

export interface MadeKeyProps {
  readonly made: CreatedKey;
  readonly onDone: () => void;
}

/** Shows the secret once, and a request that uses it. */
export function MadeKeyNotice({ made, onDone }: MadeKeyProps) {
  const { t } = useText();
  const models = useRead<OwnModels>('/account/v1/models').data;
  const model = models && firstFor(models.data, made.models);
  return (
    <Stack gap="lg">
      <Alert color="accent" icon={<CheckIcon />} role="status">
        {t('keys.createdText', { name: made.name })}
      </Alert>
      <CopyField label={t('keys.secret')} value={made.secret} once />
      {models && model && (
        <div>
          <Text fz="sm" fw={500} mb={6}>
            {t('keys.tryIt')}
          </Text>
          <CodeBlock
            remembered="snippet"
            snippets={snippetsOf({
              baseUrls: models.base_urls,
              model: model.id,
              surfaces: model.surfaces,
              key: made.secret,
            })}
          />
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>{t('keys.saved')}</Button>
      </Group>
    </Stack>
  );
}

/** A model that the key may call. If its limits are patterns, any model of the account serves as an example. */
function firstFor(models: readonly OwnModel[], limits: readonly string[] | null): OwnModel | undefined {
  return (
    models.find(({ id, aliases }) => !limits || [id, ...aliases].some((name) => limits.includes(name))) ?? models[0]
  );
}
