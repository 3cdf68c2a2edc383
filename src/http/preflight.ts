/** The reply to a CORS preflight: pages of other origins may call with any header, but without cookies. */
export function preflightHeaders(requested: string | undefined): string[] {
  return [
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers',
    isNameList(requested) ? requested : defaultHeaders,
    'access-control-max-age',
    '86400',
  ];
}

const defaultHeaders = 'authorization, content-type, x-api-key';

/** The requested headers are echoed only if they are a valid list of header names. */
function isNameList(requested: string | undefined): requested is string {
  return requested !== undefined && requested.length <= 4096 && /^[\w-]+(?: *, *[\w-]+)*$/.test(requested);
}
