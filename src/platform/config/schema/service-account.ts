import { z } from 'zod';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { webUrl } from './fields.ts';
import { isReference } from '../environment.ts';
import { breaks } from '../file/wording.ts';

/** The parts of a Google service account that are needed to request access tokens. */
export interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string | undefined;
  readonly tokenUri: string;
}

/** The JSON document of a service account's key, as text, as downloaded from Google. */
export const serviceAccountText = z
  .string()
  .max(20_000)
  .refine((text) => isReference(text) || documentIn(text).success, breaks('not_a_service_account'))
  .meta({ title: 'a secret', sample: '${GOOGLE_SERVICE_ACCOUNT}' });

/** Parses a text that the schema accepted. */
export function serviceAccountOf(text: string): ServiceAccount {
  const { client_email, private_key, private_key_id, token_uri } = documentSchema.parse(foreignJson(text));
  return { clientEmail: client_email, privateKey: private_key, privateKeyId: private_key_id, tokenUri: token_uri };
}

const documentSchema = z.looseObject({
  client_email: z.string().min(1),
  private_key: z.string().includes('PRIVATE KEY'),
  private_key_id: z.string().optional(),
  token_uri: webUrl.prefault('https://oauth2.googleapis.com/token'),
});

function documentIn(text: string): { readonly success: boolean } {
  return documentSchema.safeParse(foreignJson(text));
}
