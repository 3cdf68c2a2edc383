import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { searchWords } from '../search-words.ts';
import './style.css';

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ siteData, router }) {
    Object.assign(siteData.value.themeConfig.search.options, { miniSearch: searchWords });
    // The language switch also links to Chinese pages that do not exist.
    router.onBeforeRouteChange = (to) => {
      if (!/\/zh\/(?!start\/|[#?]|$)/.test(to)) return true;
      void router.go('/docs/zh/');
      return false;
    };
  },
};
export default theme;
