import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { searchWords } from '../search-words.ts';
import './style.css';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ siteData, router }) {
    Object.assign(siteData.value.themeConfig.search.options, { miniSearch: searchWords });
    // On a page without a Chinese version, the language switch leads to the Chinese home page.
    Object.defineProperty(siteData.value.themeConfig, 'i18nRouting', {
      get: () => /^(?:zh\/|start\/|index\.md$)/.test(router.route.data.relativePath),
      enumerable: true,
      configurable: true,
    });
  },
};
export default theme;
