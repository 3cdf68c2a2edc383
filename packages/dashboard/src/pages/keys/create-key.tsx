import { Alert, Box, Text } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import type { Balance, CreatedKey, Key, OwnModel, OwnModels } from '../../api/wire.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { RadioList } from '../../components/radio-list.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { CheckIcon } from '../../icons.tsx';
import { exampleOf, snippetsOf } from '../../components/model-snippets.ts';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { keyLabels, KeyTerms, useKeyTerms } from './key-terms.tsx';
import { useMemberChoices } from './member-choices.ts';
import { emptyKeyForm, type KeyFormValues, newKeyOf } from './key-form-values.ts';
import { TestRequest } from './test-request.tsx';

interface CreateKeyProps {
  readonly scope: KeyScope;
  /** The URL contains the open state. */
  readonly isInAddress?: boolean;
  /** The name that the form suggests. */
  readonly suggestedName?: string;
  readonly onClose: () => void;
}

/** Asks for the terms of a key, then shows its secret once. */
export function CreateKey({ scope, isInAddress, suggestedName = '', onClose }: CreateKeyProps) {
  const { t, timeZone } = useText();
  const { path, accountId } = scope;
  const { user } = useSession();
  // The gateway counts a key for the user who creates it, if the user has a role in the account.
  const member = accountId === undefined ? user.id : '';
  const members = useMemberChoices(scope);
  const form = useKeyTerms({ ...emptyKeyForm, name: suggestedName, member });
  const write = useWrite<CreatedKey, KeyFormValues>({
    path,
    send: (values) => ({
      ...newKeyOf(values, { now: new Date(), timeZone, member }),
      ...(accountId !== undefined && { account: accountId }),
    }),
    // They have a count of keys.
    changes: [path, '/account/v1/account', '/admin/v1/accounts'],
  });
  return (
    <SecretDialog
      title={t(write.data ? 'keys.createdTitle' : 'keys.createTitle')}
      isInAddress={isInAddress}
      size={write.data ? 'xl' : 'lg'}
      write={write}
      secret={useMadeKey(scope)}
      action={t('keys.create')}
      labels={keyLabels(t)}
      onSubmit={form.onSubmit((values) => write.mutate(values))}
      onClose={onClose}
    >
      <KeyTerms form={form} scope={scope} members={members} />
    </SecretDialog>
  );
}

const graces = ['now', '1h', '24h', '168h'] as const;

type GraceChoice = (typeof graces)[number];

interface RotateKeyProps extends Omit<CreateKeyProps, 'isInAddress' | 'suggestedName'> {
  readonly apiKey: Key;
}

/** Rotates a key: the new key has the same terms, and the old one works for a grace period. */
export function RotateKey({ scope, apiKey, onClose }: RotateKeyProps) {
  const { t } = useText();
  const [grace, setGrace] = useState<GraceChoice>('24h');
  const write = useWrite<CreatedKey, { readonly grace: GraceChoice }>({
    path: `${scope.path}/${apiKey.id}/rotate`,
    changes: [scope.path],
  });
  return (
    <SecretDialog
      title={write.data ? t('keys.createdTitle') : t('keys.rotateTitle', { name: apiKey.name })}
      size={write.data ? 'xl' : 'md'}
      write={write}
      secret={useMadeKey(scope)}
      action={t('keys.rotate')}
      onSubmit={() => write.mutate({ grace })}
      onClose={onClose}
    >
      <Text>{t('keys.rotateText')}</Text>
      <RadioList
        label={t('keys.grace')}
        value={grace}
        options={graces.map((value) => ({ value, label: t(`keys.grace_${value}`) }))}
        onChange={setGrace}
      />
    </SecretDialog>
  );
}

/** The secret of a new key, and a request that uses it. After a test request, its page is the next step. */
function useMadeKey({ accountId }: KeyScope) {
  const { t } = useText();
  const [requestId, setRequestId] = useState<string>();
  return (made: CreatedKey) => ({
    label: t('keys.secret'),
    value: made.secret,
    head: (
      <Alert color="accent" icon={<CheckIcon />} role="status">
        {t('keys.createdText', { name: made.name })}
      </Alert>
    ),
    note: <KeyExample made={made} accountId={accountId} onSent={setRequestId} />,
    done: t('keys.saved'),
    next: requestId === undefined ? undefined : { to: `/app/requests/${requestId}`, label: t('keys.copyAndView') },
  });
}

interface KeyExampleProps {
  readonly made: CreatedKey;
  /** The account of the key, if an operator created it. Its requests are not theirs, so no test is offered. */
  readonly accountId: string | undefined;
  /** Called after a test request. */
  readonly onSent: (requestId: string) => void;
}

/** Code with the new key, for a model that the account can call, and a test request to it. */
function KeyExample({ made, accountId: account, onSent }: KeyExampleProps) {
  const { t } = useText();
  const options = account === undefined ? {} : { account };
  const models = useRead<OwnModels>('/account/v1/models', {}, options).data;
  const balance = useRead<Balance>('/account/v1/balance', {}, options);
  const model = models && exampleOf(allowedModels(models.data, made.models), balance.data);
  if (!model || balance.isPending) return null;
  const values = { baseUrls: models.base_urls, model: model.id, surfaces: model.surfaces, key: made.secret };
  return (
    <div>
      <Text fz="sm" fw={500} mb={6}>
        {t('keys.tryIt')}
      </Text>
      {account === undefined && model.surfaces.includes('openai') && (
        <Box mb="sm">
          <TestRequest secret={made.secret} model={model.id} onSent={onSent} />
        </Box>
      )}
      <CodeBlock remembered="snippet" snippets={snippetsOf(values)} />
    </div>
  );
}

/** Models that the key may call. If its limits are patterns, any model of the account serves as an example. */
function allowedModels(models: readonly OwnModel[], limits: readonly string[] | null): readonly OwnModel[] {
  const named = models.filter(({ id, aliases }) => !limits || [id, ...aliases].some((name) => limits.includes(name)));
  return named.length > 0 ? named : models;
}
