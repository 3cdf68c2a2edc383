import { Input, SegmentedControl } from '@mantine/core';
import type { Alerts } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';

type Digest = Alerts['digest'];

interface DigestChoiceProps {
  readonly value: Digest;
  readonly onChange: (digest: Digest) => void;
  readonly text: string;
  readonly disabled: boolean;
}

/** How often the summary e-mail is sent. */
export function DigestChoice({ value, onChange, text, disabled }: DigestChoiceProps) {
  const { t } = useText();
  return (
    <Input.Wrapper label={t('alerts.digest')} description={text} labelElement="div">
      <SegmentedControl
        aria-label={t('alerts.digest')}
        mt={6}
        value={value}
        disabled={disabled}
        onChange={onChange}
        data={[
          { value: 'off', label: t('alerts.digest_off') },
          { value: 'daily', label: t('alerts.digest_daily') },
          { value: 'weekly', label: t('alerts.digest_weekly') },
        ]}
      />
    </Input.Wrapper>
  );
}
