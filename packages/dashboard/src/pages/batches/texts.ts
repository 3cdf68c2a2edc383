import type { Strings } from '../../text/strings.ts';

/** The list of batches, and the page of one. Loaded with them. */
export const texts = {
  description: [
    'Many requests in one file. They run on idle slots, within 24 hours.',
    '将大量请求写入一个文件，网关利用空闲槽位在 24 小时内完成。',
  ],
  operatorDescription: [
    'The batches of all accounts. They only use slots that no other request needs.',
    '所有账户的批处理任务，仅使用其他请求不需要的槽位。',
  ],
  batch: ['Batch', '任务'],
  endpoint: ['Endpoint', '接口'],
  account: ['Account', '账户'],
  key: ['Key', '密钥'],
  state: ['Status', '状态'],
  progress: ['Progress', '进度'],
  progressOf: ['{done} of {total}', '{done} / {total}'],
  progressLabel: ['{done} of {total} requests are done', '共 {total} 个请求，已完成 {done} 个'],
  costSoFar: ['Cost so far', '当前费用'],
  cost: ['Cost', '费用'],
  created: ['Created', '创建时间'],
  deadline: ['Deadline', '截止时间'],
  ended: ['Ended', '结束时间'],
  format: ['Format', '格式'],
  inputFile: ['Input file', '输入文件'],
  tokens: ['Tokens', 'Token 数'],
  tokensOf: ['{input} in, {output} out', '输入 {input}，输出 {output}'],

  validating: ['Checking the file', '校验中'],
  in_progress: ['Running', '运行中'],
  finalizing: ['Writing results', '写入结果'],
  cancelling: ['Cancelling', '取消中'],
  completed: ['Completed', '已完成'],
  failed: ['File refused', '校验失败'],
  expired: ['Expired', '已超时'],
  cancelled: ['Cancelled', '已取消'],

  all: ['All batches', '全部任务'],
  total: ['Requests', '请求数'],
  running: ['{count} running or next', '{count} 个运行中或即将运行'],
  countSucceeded: ['Succeeded', '成功'],
  countFailed: ['Failed', '失败'],
  countCancelled: ['Cancelled', '已取消'],
  countExpired: ['Expired', '已超时'],

  problemsTitle: ['The input file was refused', '输入文件未通过校验'],
  problemsText: [
    'No request ran. Correct these lines, upload the file again and create a new batch.',
    '没有运行任何请求。请修正以下各行，重新上传文件并新建任务。',
  ],
  line: ['Line', '行号'],
  problem: ['Problem', '问题'],
  code: ['Code', '错误码'],
  wholeFile: ['File', '整个文件'],

  resultsTitle: ['Results', '结果'],
  resultsWait: ['The files appear when the batch has ended.', '任务结束后即可下载结果文件。'],
  resultsNone: ['This batch has no result files, or they were deleted.', '该任务没有结果文件，或文件已被删除。'],
  resultsHelp: ['Each download is written to the audit log.', '每次下载都会记入审计日志。'],
  resultsOperator: ['Only the account can download its results.', '仅账户自身可以下载结果。'],
  resultsNotReader: ['Viewers cannot download the results.', '只读成员不能下载结果。'],
  download: ['Download output ({size})', '下载输出文件（{size}）'],
  downloadErrors: ['Download errors ({size})', '下载错误文件（{size}）'],
  deletedAt: ['The files are deleted on {date}.', '文件将于 {date}删除。'],

  cancel: ['Cancel batch', '取消任务'],
  cancelTitle: ['Cancel this batch?', '取消此任务？'],
  cancelText: [
    'Requests that run now still end, and are charged. The others do not run. This cannot be undone.',
    '正在运行的请求会继续完成并计费，其余请求不再运行。此操作无法撤销。',
  ],
  cancelledNow: ['The batch is being cancelled', '正在取消任务'],

  emptyTitle: ['No batches yet', '暂无批处理任务'],
  emptyText: [
    'Write one request per line into a file, upload it, and create a batch. Any model works.',
    '将请求逐行写入文件，上传后创建任务，支持所有模型。',
  ],
  operatorEmptyText: [
    'Batches that accounts create appear here, with their progress and cost.',
    '账户创建的批处理任务会显示在这里，包括进度和费用。',
  ],
  nothingFound: ['No batches match the filter', '没有符合条件的任务'],
  nothingFoundText: ['Choose another status or account.', '请选择其他状态或账户。'],
  notFoundTitle: ['No such batch', '未找到该任务'],
  notFoundText: ['It was deleted, or belongs to another account.', '该任务已被删除，或属于其他账户。'],
} as const satisfies Strings;
