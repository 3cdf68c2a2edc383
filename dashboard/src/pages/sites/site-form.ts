import type { NewSite } from '../../api/wire.ts';

/** The form values of a site. */
export interface SiteForm {
  readonly name: string;
  readonly title: string;
  readonly domains: string[];
  readonly models: string[];
  readonly signUp: boolean;
  readonly signUpPackage: string;
  readonly honourStreamFalse: boolean;
  readonly messagesBearer: boolean;
}

export function formOf(spec: NewSite | undefined): SiteForm {
  return {
    name: spec?.name ?? '',
    title: spec?.title ?? '',
    domains: [...(spec?.domains ?? [])],
    models: [...(spec?.models ?? ['*'])],
    signUp: spec?.sign_up ?? false,
    signUpPackage: spec?.sign_up_package ?? 'standard',
    honourStreamFalse: spec?.honour_stream_false ?? false,
    messagesBearer: spec?.messages_bearer ?? false,
  };
}

/** The spec to send. Leaves out default values, and keeps fields that the form does not have. */
export function specOf(form: SiteForm, before: NewSite | undefined): NewSite {
  const {
    title: _title,
    sign_up: _signUp,
    sign_up_package: _package,
    honour_stream_false: _stream,
    messages_bearer: _bearer,
    ...rest
  } = before ?? {};
  return {
    ...rest,
    name: form.name.trim(),
    domains: form.domains,
    models: form.models,
    ...(form.title.trim() && { title: form.title.trim() }),
    ...(form.signUp && { sign_up: true, sign_up_package: form.signUpPackage }),
    ...(form.honourStreamFalse && { honour_stream_false: true }),
    ...(form.messagesBearer && { messages_bearer: true }),
  };
}
