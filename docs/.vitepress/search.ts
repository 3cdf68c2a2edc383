import type { DefaultTheme } from 'vitepress';
import { searchWords } from './search-words.ts';

const options: DefaultTheme.LocalSearchOptions = {
  locales: {
    zh: {
      translations: {
        button: { buttonText: '搜索', buttonAriaLabel: '搜索文档' },
        modal: {
          displayDetails: '显示详细列表',
          resetButtonTitle: '清空',
          backButtonTitle: '关闭',
          noResultsText: '没有结果：',
          footer: {
            selectText: '选择',
            selectKeyAriaLabel: '回车键',
            navigateText: '切换',
            navigateUpKeyAriaLabel: '上箭头',
            navigateDownKeyAriaLabel: '下箭头',
            closeText: '关闭',
            closeKeyAriaLabel: 'Esc 键',
          },
        },
      },
    },
  },
};

// VitePress would ship enumerable functions to the browser as text for `eval`, which the gateway's content security policy
// blocks. The theme sets the same function there.
Object.defineProperty(options, 'miniSearch', { value: searchWords, enumerable: false });

export const search = { provider: 'local', options } as const;
