import type { Strings } from '../text/strings.ts';

/** The controls of a table. Loaded with it. */
export const texts = {
  view: ['View', '显示设置'],
  rowHeight: ['Row height', '行高'],
  compact: ['Compact', '紧凑'],
  comfortable: ['Comfortable', '宽松'],
  columns: ['Columns', '显示列'],
  noRoom: ['{name} (no room)', '{name}（空间不足）'],
  resetColumns: ['Reset columns', '恢复默认列'],
  select: ['Select {name}', '选择 {name}'],
  selectAll: ['Select all rows', '全选'],
  selected: ['{count} selected', '已选择 {count} 项'],
  clearSelection: ['Clear selection', '取消选择'],
  exportSelected: ['Export selected', '导出所选'],
  notFor: [
    { one: '{count} selected row stays as it is.', other: '{count} selected rows stay as they are.' },
    '其余 {count} 项不受影响。',
  ],
  progress: ['{done} of {total} done', '已完成 {done} / {total}'],
  someFailed: [{ one: '{count} failed', other: '{count} failed' }, '{count} 项失败'],
  someDone: [{ one: '{count} other is done.', other: '{count} others are done.' }, '其余 {count} 项已完成。'],
  retryFailed: ['Try again', '重试'],
  terminal: ['Terminal', '终端'],
} as const satisfies Strings;
