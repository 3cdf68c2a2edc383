import { recall, remember } from '../remembered.ts';

/** The zone of the device, as it names it. */
export function deviceTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The zone chosen here before, else the device's. */
export function rememberedTimeZone(): string {
  const chosen = recall('time-zone');
  return chosen !== null && isTimeZone(chosen) ? chosen : deviceTimeZone();
}

/** Keeps the choice; the device's own is no choice, so that it follows whoever travels. */
export function rememberTimeZone(zone: string): void {
  remember('time-zone', zone === deviceTimeZone() ? null : zone);
}

/**
 * Every zone one can choose. Browsers leave out UTC, which operators read logs in, and list some zones by names that their
 * cities no longer have and nobody looks for.
 */
export function timeZones(): readonly string[] {
  const listed = [...Intl.supportedValuesOf('timeZone'), ...namesOfToday.filter(isTimeZone)].toSorted();
  return [...new Set(['UTC', deviceTimeZone(), ...listed])];
}

const namesOfToday = [
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
