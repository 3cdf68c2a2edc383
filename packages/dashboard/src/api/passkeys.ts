import { call } from './call.ts';

export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Signs in with a passkey that the user picks. */
export async function signInWithPasskey(): Promise<void> {
  const options = await call<PublicKeyCredentialRequestOptionsJSON>('/auth/passkeys/sign-in/begin', { method: 'POST' });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const response = credentialJson(await navigator.credentials.get({ publicKey }));
  await call('/auth/passkeys/sign-in/finish', { method: 'POST', body: { response } });
}

/** Creates a passkey on the user's device and registers it with the gateway under a name. */
export async function addPasskey({ name, password }: { name: string; password?: string }): Promise<void> {
  const begin = { method: 'POST', body: { password } } as const;
  const options = await call<PublicKeyCredentialCreationOptionsJSON>('/auth/passkeys/begin', begin);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const response = credentialJson(await navigator.credentials.create({ publicKey }));
  await call('/auth/passkeys/finish', { method: 'POST', body: { response, name } });
}

function credentialJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
  return credential.toJSON();
}
