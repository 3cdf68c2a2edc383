/** What a browser is told that asks whether a page elsewhere may call us: it may, with any header but no cookies. */
export function preflightHeaders(asked: string | undefined): string[] {
  return [
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers',
    isNameList(asked) ? asked : usualHeaders,
    'access-control-max-age',
    '86400',
  ];
}

const usualHeaders = 'authorization, content-type, x-api-key';

/** What was asked for is echoed only when it is a plain list of header names. */
function isNameList(asked: string | undefined): asked is string {
  return asked !== undefined && asked.length <= 4096 && /^[\w-]+(?: *, *[\w-]+)*$/.test(asked);
}
