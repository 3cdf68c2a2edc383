import { useReplacing } from '../../api/replacing.ts';
import type { Key, OwnKeyChange } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useFormat } from '../../text/format.ts';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { keyLabels, KeyTerms, useKeyTerms } from './key-terms.tsx';
import { useMemberChoices } from './member-choices.ts';
import { changeOf, formValuesOf } from './key-form-values.ts';

export interface EditKeyProps {
  readonly scope: KeyScope;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Changes the terms of a key. Detects a conflicting change by another user. */
export function EditKey({ scope, apiKey, onClose }: EditKeyProps) {
  const { t, timeZone } = useText();
  const format = useFormat();
  const path = `${scope.path}/${apiKey.id}`;
  const member = apiKey.member_id ?? '';
  const members = useMemberChoices(scope, apiKey);
  const edit = useReplacing<Key, OwnKeyChange>(apiKey, {
    method: 'PATCH',
    path,
    changes: [scope.path],
    onSaved: onClose,
    fieldsOf: termsOf,
    labels: { ...keyLabels(t), state: t('keys.state') },
    lists: { models: 'set', addresses: 'set' },
    valueText: (field, value) => {
      if (field === 'state') return t('keys.revoked');
      if (field === 'expires_at') return value === null ? t('keys.ending_never') : format.dateTime(value as string);
      if (field === 'member') return members.find((each) => each.value === (value ?? ''))?.label;
      const whenMissing = unlimited[field];
      return value === null && whenMissing ? t(whenMissing) : undefined;
    },
  });
  const form = useKeyTerms(formValuesOf(apiKey, timeZone));
  const submit = form.onSubmit((values) => edit.save(changeOf(values, { now: new Date(), timeZone, member })));
  return (
    <EntryDialog
      isOpen
      title={t('keys.editTitle', { name: apiKey.name })}
      edit={edit}
      onSubmit={() => submit()}
      onClose={onClose}
    >
      <KeyTerms form={form} scope={scope} members={members} endsAt={edit.base.expires_at} />
    </EntryDialog>
  );
}

/** The words for a term without a limit. */
const unlimited: Readonly<Record<string, FixedTextKey>> = {
  models: 'keys.allModels',
  spend_cap: 'keys.noCap',
  cap_period: 'keys.period_all',
  max_concurrency: 'keys.concurrencyUnlimited',
  addresses: 'keys.addressesAny',
};

/** The fields of a key that the form may change. The user should also see that it was revoked meanwhile. */
function termsOf(key: Key) {
  const { name, member_id: member, models, spend_cap, cap_period, max_concurrency, addresses, expires_at } = key;
  const { honour_stream_false, report_cost, store_bodies } = key;
  const limits = { models, spend_cap, cap_period, max_concurrency, addresses, expires_at };
  const state = key.state === 'revoked' ? { state: key.state } : {};
  return { name, member, ...limits, honour_stream_false, report_cost, store_bodies, ...state };
}
