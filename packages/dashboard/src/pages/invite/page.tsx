import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useLocation } from '@tanstack/react-router';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { useSite } from '../../api/session.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { Form } from '../../components/form.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { CardHead, UsedLink, useLink } from '../sign-in/card.tsx';
import { emptySignUp, SignUpFields, signUpProblems } from '../sign-in/sign-up-fields.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { useText } from '../../text/text.tsx';

interface InvitationPreview {
  readonly email: string;
  /** Null for an invitation to be an operator. */
  readonly account: string | null;
  readonly organisation: string | null;
  readonly role: keyof typeof roleKeys;
  /** The e-mail address has a user already, who must sign in to accept. */
  readonly has_user: boolean;
}

/** The target of an invitation link. The user chooses a password, or accepts with an existing user. */
export default function InvitePage() {
  const { path, data, notice } = useLink<InvitationPreview>('invitations');
  if (!data) return notice;
  return <Acceptance path={path} invitation={data} />;
}

function Acceptance({ path, invitation }: { readonly path: string; readonly invitation: InvitationPreview }) {
  const { t } = useText();
  const { user } = useSite();
  const { href } = useLocation();
  const accept = useSignInStep<{ name?: string; password?: string }>(`${path}/accept`);
  const isKnown = invitation.has_user;
  const { name, password } = signUpProblems(t);
  const form = useForm({ initialValues: emptySignUp, validate: isKnown ? {} : { name, password } });
  if (accept.isSuccess && user) return <RedirectToNext />;
  const role = t(roleKeys[invitation.role]);
  const mustSignIn = isKnown && user?.email !== invitation.email;
  return (
    <Form onSubmit={form.onSubmit((values) => accept.mutate(isKnown ? {} : values))}>
      <Stack gap="md">
        <CardHead
          title={t('signIn.inviteTitle', {
            account: invitation.account ?? invitation.organisation ?? t('signIn.inviteOperators'),
          })}
          text={isKnown ? t('signIn.inviteKnownText', { role }) : t('signIn.inviteText', { role })}
        />
        <UsedLink error={accept.error} />
        <CopyField label={t('signIn.email')} value={invitation.email} />
        {!isKnown && <SignUpFields inputProps={form.getInputProps} />}
        {mustSignIn ? (
          <ViewButton to="/app/sign-in" search={{ next: href }} size="md" fullWidth>
            {t('signIn.inviteSignIn')}
          </ViewButton>
        ) : (
          <Button type="submit" size="md" mt="xs" loading={accept.isPending} fullWidth>
            {t('signIn.inviteAccept')}
          </Button>
        )}
      </Stack>
    </Form>
  );
}

/** Role names for use in a sentence. Owners of accounts and of the gateway share one. */
const roleKeys = {
  owner: 'signIn.roleOwner',
  member: 'signIn.roleMember',
  viewer: 'signIn.roleViewer',
  operator: 'signIn.roleOperator',
  'read-only': 'signIn.roleReadOnly',
} as const;
