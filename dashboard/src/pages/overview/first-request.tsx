import { Card, Text, Title } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import type { OwnModels } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { KeyIcon, PlaygroundIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { snippetsOf } from '../models/snippets.ts';
import classes from './overview.module.css';

/** Three steps from nothing to an answer. */
export function FirstRequest() {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const models = useRead<OwnModels>('/account/v1/models').data;
  const first = models?.data[0];
  return (
    <Card padding="xl" component="section" aria-label={t('overview.firstTitle')}>
      <Title order={2} mb={4}>
        {t('overview.firstTitle')}
      </Title>
      <Text c="dimmed" mb="xl">
        {t('overview.firstText')}
      </Text>
      <ol className={classes['steps']}>
        <li className={classes['step']}>
          <Title order={3}>{t('overview.stepKey')}</Title>
          <Text c="dimmed" mb="sm">
            {t('overview.stepKeyText')}
          </Text>
          {mayWrite && (
            <ViewButton to="/app/keys" search={{ new: 'key' }} leftSection={<KeyIcon size={16} />}>
              {t('overview.makeKey')}
            </ViewButton>
          )}
        </li>
        <li className={classes['step']}>
          <Title order={3}>{t('overview.stepAsk')}</Title>
          <Text c="dimmed" mb="sm">
            {models && !first ? t('overview.noModels') : t('overview.stepAskText')}
          </Text>
          {models && first && (
            <CodeBlock
              remembered="snippet"
              snippets={snippetsOf({ baseUrls: models.base_urls, model: first.id, surfaces: first.surfaces })}
            />
          )}
        </li>
        <li className={classes['step']}>
          <Title order={3}>{t('overview.stepSee')}</Title>
          <Text c="dimmed" mb="sm">
            {t('overview.stepSeeText')}
          </Text>
          <ViewButton to="/app/playground" variant="default" leftSection={<PlaygroundIcon size={16} />}>
            {t('overview.tryPlayground')}
          </ViewButton>
        </li>
      </ol>
    </Card>
  );
}
