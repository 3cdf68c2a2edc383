import { useReplacing } from '../../api/replacing.ts';
import type { Key, OwnKeyChange } from '../../api/wire.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { keyLabels, KeyTerms, useKeyTerms } from './key-terms.tsx';
import { changeOf, formValuesOf } from './key-form-values.ts';

export interface EditKeyProps {
  readonly scope: KeyScope;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Changes the terms of a key. Detects a conflicting change by another user. */
export function EditKey({ scope, apiKey, onClose }: EditKeyProps) {
  const { t, timeZone } = useText();
  const path = `${scope.path}/${apiKey.id}`;
  const edit = useReplacing<Key, OwnKeyChange>(apiKey, {
    method: 'PATCH',
    path,
    changes: [scope.path],
    onSaved: onClose,
  });
  const form = useKeyTerms(formValuesOf(apiKey, timeZone));
  const submit = form.onSubmit((values) => edit.save(changeOf(values, { now: new Date(), timeZone })));
  return (
    <EntryDialog
      isOpen
      title={t('keys.editTitle', { name: apiKey.name })}
      conflict={{
        edit,
        subject: { kind: 'key', id: apiKey.id },
        theirs: (current) => ({
          ...termsOf(current, edit.mine),
          // The form has no such field, but a user who overwrites the change should see it.
          ...(current.state === 'revoked' && { state: t('keys.revoked') }),
        }),
        labels: { ...keyLabels(t), state: t('keys.state') },
        onTakeTheirs: (current) => form.setValues(formValuesOf(current, timeZone)),
      }}
      onSubmit={() => submit()}
      onClose={onClose}
    >
      <KeyTerms form={form} scope={scope} endsAt={edit.base.expires_at} />
    </EntryDialog>
  );
}

/** The fields of a key that the form may change. Without the expiry, if the form leaves it as it is. */
function termsOf(key: Key, mine: OwnKeyChange | undefined) {
  const { name, models, spend_cap, cap_period, max_concurrency, addresses, expires_at } = key;
  const { honour_stream_false, report_cost, store_bodies } = key;
  const limits = { models, spend_cap, cap_period, max_concurrency, addresses };
  const end = mine?.expires_at === undefined ? {} : { expires_at };
  return { name, ...limits, ...end, honour_stream_false, report_cost, store_bodies };
}
