// Runs before the first paint, so that a dark page never flashes white.
{
  const key = 'gateway.color-scheme';
  let chosen = null;
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; the device's own preference is then what counts.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
