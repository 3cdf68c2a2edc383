const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}
