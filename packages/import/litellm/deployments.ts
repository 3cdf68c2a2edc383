import type { FindingList } from '../findings.ts';
import { isTrue } from '../table-reader.ts';
import { listOf, recordOf, textOf, type Values, valuesOf } from '../values.ts';
import { looksEncrypted, type SaltKey } from './decrypt.ts';
import { openedValues, SealedValue } from './opened.ts';
import type { LiteLlmSource } from './source.ts';

/** One entry of `model_list`: a model at a provider, under the name that clients use. */
export interface Deployment {
  readonly id: string;
  readonly modelName: string;
  /** Settings of `litellm_params`, with the shared credential that they name. Secrets may be a `SealedValue`. */
  readonly params: Values;
  readonly info: Values;
  /** The name of a shared credential. */
  readonly credentialName: string | undefined;
}

/** The deployments of the configuration and of the database that can be read. */
export function readDeployments(
  { tables, config }: LiteLlmSource,
  saltKey: SaltKey | undefined,
  findings: FindingList,
): readonly Deployment[] {
  const credentials = sharedCredentials({ tables, config }, saltKey);
  const written = listOf(config['model_list']).map((entry, index) => {
    const { model_name: name, litellm_params: params, model_info: info } = recordOf(entry);
    const modelName = textOf(name) ?? '';
    return { id: textOf(recordOf(info)['id']) ?? `${modelName}#${index}`, modelName, params, info: recordOf(info) };
  });
  const stored = tables.models.flatMap((row) => {
    const [id, modelName] = [row['model_id'] ?? '', row['model_name'] ?? ''];
    if (isTrue(row['blocked'])) {
      findings.add('deployment_blocked', { kind: 'model', sourceId: id }, { model: modelName });
      return [];
    }
    return [{ id, modelName, params: storedParams(row['litellm_params'], saltKey), info: valuesOf(row['model_info']) }];
  });
  return [...written, ...stored].flatMap(({ params, ...deployment }) => {
    const own = recordOf(params);
    const credentialName = textOf(own['litellm_credential_name']);
    const shared = credentialName === undefined ? {} : (credentials.get(credentialName) ?? {});
    const all = { ...shared, ...own };
    if (deployment.modelName !== '' && textOf(all['model']) !== undefined)
      return [{ ...deployment, params: all, credentialName }];
    const subject = { kind: 'model', sourceId: deployment.id } as const;
    if (all['model'] instanceof SealedValue)
      findings.add('deployment_encrypted', subject, { model: deployment.modelName });
    else findings.add('deployment_incomplete', subject);
    return [];
  });
}

/** A row whose model is plain text is not encrypted at all. Its keys may look as if they were. */
function storedParams(cell: string | null | undefined, saltKey: SaltKey | undefined): Values {
  const values = valuesOf(cell);
  const model = textOf(values['model']) ?? '';
  const isEncrypted = saltKey?.open(model) !== undefined || looksEncrypted(model);
  return isEncrypted ? openedValues(values, saltKey) : values;
}

function sharedCredentials(
  { tables, config }: Pick<LiteLlmSource, 'tables' | 'config'>,
  saltKey: SaltKey | undefined,
): ReadonlyMap<string, Values> {
  const written = listOf(config['credential_list']).map((entry): [string, Values] => {
    const { credential_name: name, credential_values: values } = recordOf(entry);
    return [textOf(name) ?? '', recordOf(values)];
  });
  const stored = tables.credentials.map((row): [string, Values] => [
    row['credential_name'] ?? '',
    openedValues(valuesOf(row['credential_values']), saltKey),
  ]);
  return new Map([...written, ...stored]);
}
