import { EmptyState } from '../components/empty-state.tsx';
import { ViewButton } from '../components/view-links.tsx';
import { useText } from '../text/text.tsx';

export function NotFound() {
  const { t } = useText();
  return (
    <EmptyState
      title={t('frame.notFoundTitle')}
      text={t('frame.notFoundText')}
      action={
        <ViewButton to="/app/overview" variant="default">
          {t('frame.goHome')}
        </ViewButton>
      }
    />
  );
}
