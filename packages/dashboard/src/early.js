// Runs before the first paint, while the other scripts are still loading.
{
  const recall = (name) => {
    try {
      return localStorage.getItem(`gateway.${name}`);
    } catch {
      // Storage may be blocked. The preferences of the device then decide.
      return null;
    }
  };

  // A dark page must not flash white.
  const scheme = recall('color-scheme');
  const isDark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');

  // The chart library reads this when it loads, and throws if `Intl` rejects it, such as `en-US@posix`.
  try {
    Intl.NumberFormat.supportedLocalesOf(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }

  // Only the frame imports the texts and the page of this address, so the browser would request them late.
  // The build fills in their files, by language and by path.
  const files = '__FILES__';
  const path = location.pathname;
  const [first = '', ...others] = navigator.languages;
  const isChinese = (tag) => tag.toLowerCase().startsWith('zh');
  const own = isChinese(first) || (!first.startsWith('en') && others.some(isChinese)) ? 'zh' : 'en';
  const language = recall('language') ?? own;
  const page = files.pages[path] ?? files.pages[path.replace(/[^/]+$/, '$id')] ?? [];
  for (const file of [files.texts[language], ...page.map((index) => files.names[index])]) {
    if (file) document.head.append(Object.assign(document.createElement('link'), preload(file)));
  }

  function preload(file) {
    return { rel: 'modulepreload', href: `/assets/${file}`, crossOrigin: '' };
  }
}
