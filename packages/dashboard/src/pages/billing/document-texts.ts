import type { Strings } from '../../text/strings.ts';

/** Receipts, credit notes, statements and billing details. Loaded with the pages that show them. */
export const texts = {
  documents: ['Documents', '单据'],
  number: ['Number', '编号'],
  kind: ['Type', '类型'],
  receipt: ['Receipt', '收据'],
  credit_note: ['Credit note', '退款凭证'],
  bill: ['Bill of {month}', '{month} 组织账单'],
  statement: ['Statement of {month}', '{month}账单'],
  issued: ['Issued', '开具日期'],
  file: ['File', '文件'],
  download: ['Download {number} as PDF', '下载 {number} 的 PDF'],
  downloadPdf: ['Download PDF', '下载 PDF'],
  emptyTitle: ['No documents yet', '还没有单据'],
  emptyText: [
    'The first receipt appears when an online payment arrives. A statement appears one hour after the end of each month with transactions.',
    '在线付款到账后会生成收据；有收支的月份结束一小时后会生成月度账单。',
  ],
  details: ['Billing details', '开票信息'],
  detailsText: [
    'New documents print this name and address. Issued documents stay as they are.',
    '新单据将使用以下名称和地址，已开具的单据不会改变。',
  ],
  edit: ['Edit', '编辑'],
  from: ['From', '收款方'],
  to: ['To', '付款方'],
  name: ['Company or full name', '公司或个人名称'],
  nameHelp: ['If it is empty, documents print the name of the account.', '留空时，单据上显示账户名称。'],
  address: ['Address', '地址'],
  addressHelp: ['Up to six lines.', '最多六行。'],
  country: ['Country', '国家/地区'],
  taxNumber: ['Tax number', '税号'],
  email: ['Billing e-mail', '账单邮箱'],
  saved: ['Billing details saved.', '开票信息已保存。'],
  accountName: ['{name} (name of the account)', '{name}（账户名称）'],
} as const satisfies Strings;
