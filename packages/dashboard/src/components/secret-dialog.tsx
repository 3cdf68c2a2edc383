import { Button, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';
import type { FieldLabels } from '../text/error-text.ts';
import { notifySuccess } from '../text/notify.ts';
import { useText } from '../text/text.tsx';
import { CopyField } from './copy-field.tsx';
import { Dialog, DialogFooter, type DialogProps } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Form } from './form.tsx';

/** A secret that is shown once. */
interface Secret {
  readonly label: string;
  readonly value: string;
  /** Shown above and below it. */
  readonly head?: ReactNode;
  readonly note?: ReactNode;
  /** The button that closes the dialog. Default: "Done". */
  readonly done?: string;
  /** The page that opens after the secret is copied, and the words for it on the button. */
  readonly next?: { readonly to: string; readonly label: string } | undefined;
}

interface SecretDialogProps<Made> extends Pick<DialogProps, 'isOpen' | 'isInAddress' | 'onClose' | 'size'> {
  readonly title: string;
  /** The write that creates the secret. */
  readonly write: { readonly data: Made | undefined; readonly isPending: boolean; readonly error: ApiError | null };
  readonly secret: (made: Made) => Secret;
  /** The verb on the button. */
  readonly action: string;
  readonly canSubmit?: boolean;
  /** The labels of the form fields that an error may name. */
  readonly labels?: FieldLabels;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** The fields of the form. */
  readonly children: ReactNode;
}

/** A form that creates something with a secret. The secret then replaces the form. */
export function SecretDialog<Made>(props: SecretDialogProps<Made>) {
  const { t } = useText();
  const { title, isOpen = true, isInAddress, size = 'md', write, canSubmit = true, onClose } = props;
  const secret = write.data && props.secret(write.data);
  return (
    <Dialog
      isOpen={isOpen}
      isInAddress={isInAddress}
      isLocked={secret !== undefined || write.isPending}
      size={size}
      onClose={onClose}
      title={title}
    >
      {secret ? (
        <Stack gap="lg">
          {secret.head}
          <CopyField label={secret.label} value={secret.value} once />
          {secret.note}
          <SecretButtons secret={secret} onClose={onClose} />
        </Stack>
      ) : (
        <Form onSubmit={props.onSubmit}>
          <Stack gap="md">
            {props.children}
            <ErrorNotice error={write.error} labels={props.labels} />
            <DialogFooter>
              <Button variant="default" disabled={write.isPending} onClick={onClose}>
                {t('common.cancel')}
              </Button>
              <Button type="submit" loading={write.isPending} disabled={!canSubmit}>
                {props.action}
              </Button>
            </DialogFooter>
          </Stack>
        </Form>
      )}
    </Dialog>
  );
}

/** Copies the secret and closes the dialog in one step. A browser without access to the clipboard has no such button. */
function SecretButtons({ secret, onClose }: { readonly secret: Secret; readonly onClose: () => void }) {
  const { t } = useText();
  const navigate = useNavigate();
  const [hasFailed, setHasFailed] = useState(false);
  const { next } = secret;
  const mayCopy = 'clipboard' in navigator && !hasFailed;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret.value);
    } catch {
      setHasFailed(true);
      return;
    }
    notifySuccess(t('common.copied'));
    if (next) void navigate({ to: next.to, replace: true });
    else onClose();
  };
  return (
    <DialogFooter>
      {hasFailed && (
        <Text fz="sm" c="dimmed" role="status">
          {t('common.copyFailed')}
        </Text>
      )}
      <Button variant={mayCopy ? 'default' : 'filled'} onClick={onClose}>
        {secret.done ?? t('common.done')}
      </Button>
      {mayCopy && <Button onClick={() => void copy()}>{next?.label ?? t('common.copyAndClose')}</Button>}
    </DialogFooter>
  );
}
