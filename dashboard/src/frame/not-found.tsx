import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { useText } from '../text/text.tsx';

export function NotFound() {
  const { t } = useText();
  return (
    <EmptyState
      title={t('frame.notFoundTitle')}
      text={t('frame.notFoundText')}
      action={
        <Button component={Link} to="/app/overview" variant="default">
          {t('frame.goHome')}
        </Button>
      }
    />
  );
}
