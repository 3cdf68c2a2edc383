// Runs before the first paint, so that a dark page never flashes white.
{
  const key = 'gateway.color-scheme';
  let chosen = null;
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // Storage may be blocked. The preference of the device then decides.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
