import { Card, Skeleton, Text, Title, VisuallyHidden } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import type { Balance, OwnModels } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { KeyIcon, PlaygroundIcon } from '../../icons.tsx';
import { exampleOf, snippetsOf } from '../../components/model-snippets.ts';
import { useText } from '../../text/text.tsx';
import classes from './overview.module.css';

/** The height of the code, so that the last step does not move when it appears. */
const codeHeight = 244;

/** Three steps to a first answer. */
export function FirstRequest({ hasKey }: { readonly hasKey: boolean }) {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const models = useRead<OwnModels>('/account/v1/models').data;
  const balance = useRead<Balance>('/account/v1/balance').data;
  const first = models && exampleOf(models.data, balance);
  return (
    <Card padding="xl" component="section" aria-label={t('overview.firstTitle')}>
      <Title order={2} mb={4}>
        {t('overview.firstTitle')}
      </Title>
      <Text c="dimmed" mb="xl">
        {t('overview.firstText')}
      </Text>
      <ol className={classes['steps']}>
        <li className={classes['step']} data-done={hasKey || undefined}>
          <Title order={3}>
            {t('overview.stepKey')}
            {hasKey && <VisuallyHidden> ({t('overview.stepDone')})</VisuallyHidden>}
          </Title>
          <Text c="dimmed" mb="sm">
            {t('overview.stepKeyText')}
          </Text>
          {mayWrite && (
            <ViewButton
              to="/app/keys"
              search={{ new: hasKey ? 'key' : 'first' }}
              variant={hasKey ? 'default' : 'filled'}
              leftSection={<KeyIcon size={16} />}
            >
              {t(hasKey ? 'overview.createAnotherKey' : 'overview.createKey')}
            </ViewButton>
          )}
        </li>
        <li className={classes['step']}>
          <Title order={3}>{t('overview.stepRequest')}</Title>
          <Text c="dimmed" mb="sm">
            {models && !first ? t('overview.noModels') : t('overview.stepRequestText')}
          </Text>
          {!models && <Skeleton height={codeHeight} radius="lg" />}
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
