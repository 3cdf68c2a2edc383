import { recall, remember } from '../remembered.ts';

/** Returns the time zone of the device, under the device's name for it. */
export function deviceTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the time zone chosen earlier in this browser, else the device's. */
export function rememberedTimeZone(): string {
  const chosen = recall('time-zone');
  return chosen !== null && isTimeZone(chosen) ? chosen : deviceTimeZone();
}

/** Stores the choice. The device's own zone is not stored, so that the pages follow a device that travels. */
export function rememberTimeZone(zone: string): void {
  remember('time-zone', zone === deviceTimeZone() ? null : zone);
}

/**
 * Returns all time zones that the user can choose. Browsers leave out UTC, which logs use, and list some zones only under
 * an outdated name of their city.
 */
export function timeZones(): readonly string[] {
  const listed = [...Intl.supportedValuesOf('timeZone'), ...currentNames.filter(isTimeZone)].toSorted();
  return [...new Set(['UTC', deviceTimeZone(), ...listed])];
}

const currentNames = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
