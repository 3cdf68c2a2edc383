import type { Strings } from '../../text/strings.ts';

/** The reconciliation page. Loaded with it. */
export const texts = {
  description: [
    "Compare the usage that a provider charges for with the gateway's own records.",
    '将上游服务商计费的用量与网关自己的记录逐项核对。',
  ],
  readOnly: ['Your role can read, but not compare invoices.', '您的角色只能查看，不能对账。'],
  upstream: ['Upstream', '上游'],
  chooseUpstream: ['Choose an upstream', '选择上游'],
  tolerance: ['Tolerance in percent', '容差（%）'],
  toleranceHelp: ['Smaller differences are not reported.', '低于此比例的差异不会列出。'],
  drop: ['Drop the usage export here', '将用量导出文件拖到这里'],
  dropHelp: [
    'CSV or JSON, up to 32 MB. The file is read in your browser.',
    'CSV 或 JSON，最大 32 MB，文件在浏览器中读取。',
  ],
  choose: ['Choose a file', '选择文件'],
  chooseOther: ['Choose another file', '更换文件'],
  fileRows: [{ one: '{count} row', other: '{count} rows' }, '{count} 行'],
  compare: ['Compare', '开始对账'],
  comparing: [
    'Reading all requests of these days. This can take a minute.',
    '正在读取这些日期的全部请求，可能需要一分钟。',
  ],
  needUpstream: ['Choose the upstream that the file belongs to.', '请选择此文件所属的上游。'],

  emptyTitle: ["Check a provider's bill", '核对上游账单'],
  emptyText: [
    'The page adds up the file and the requests of the gateway by UTC day and model. It lists each difference with the requests that explain it: failed attempts, retries, discarded answers, missing usage.',
    '本页按 UTC 日期和模型汇总文件与网关的请求，列出每一处差异，以及能解释差异的请求：失败的尝试、重试、被丢弃的回答、缺失的用量。',
  ],
  whereTitle: ['Where to get the file', '如何获取文件'],
  whereOpenai: [
    'OpenAI: platform.openai.com, Usage, Export. Group by model.',
    'OpenAI：platform.openai.com → Usage → Export，按模型分组。',
  ],
  whereAnthropic: ['Anthropic: the Console, Usage or Cost, Export.', 'Anthropic：Console → Usage 或 Cost → Export。'],
  whereOther: [
    'Others: any CSV or JSON with a day, a model, and tokens or a cost.',
    '其他服务商：包含日期、模型以及 Token 数或费用的 CSV 或 JSON。',
  ],
  command: ['The same in a terminal', '命令行方式'],

  columns: ['Columns', '列对应关系'],
  columnsFound: ['The columns of the file were recognised. Check them.', '已识别文件中的列，请确认。'],
  columnsMissing: [
    'Select the columns of the day, the model and at least one figure.',
    '请选择日期列、模型列，以及至少一个数值列。',
  ],
  columnsHelp: ['Several columns of one figure are added up.', '同一数值选择多列时会相加。'],
  change: ['Change columns', '修改列'],
  none: ['Not in the file', '文件中没有'],
  day: ['Day', '日期'],
  model: ['Model', '模型'],
  input: ['Tokens in, with cached ones', '输入 Token（含缓存）'],
  tokensIn: ['Tokens in', '输入 Token'],
  cached: ['Cached tokens', '缓存 Token'],
  output: ['Tokens out', '输出 Token'],
  cost: ['Cost', '费用'],
  key: ['API key', 'API 密钥'],
  currency: ['Currency', '币种'],
  cents: ['The cost is in cents', '费用单位为分'],
  preview: ['First rows of the file', '文件前几行'],
  byKey: ['Compare each key separately', '按密钥分别对账'],
  byKeyHelp: ['Keys without a credential are left out.', '未对应凭据的密钥不参与对账。'],
  leftOut: ['Leave out', '不参与对账'],
  credential: ['Credential #{number}', '凭据 #{number}'],

  agreesTitle: ['Everything agrees', '全部一致'],
  agreesText: [
    {
      one: 'The line from {from} to {to} agrees within {tolerance} %.',
      other: 'All {count} lines from {from} to {to} agree within {tolerance} %.',
    },
    '{from} 至 {to} 共 {count} 行，差异均在 {tolerance}% 以内。',
  ],
  differsTitle: [
    { one: '{different} of {count} line differs', other: '{different} of {count} lines differ' },
    '{count} 行中有 {different} 行存在差异',
  ],
  differsText: ['From {from} to {to}, by more than {tolerance} %.', '{from} 至 {to}，差异超过 {tolerance}%。'],
  incomplete: ['This result needs a second look', '此结果需要留意'],
  missingRecords: [
    '{day}: {count} requests are no longer in the log, so the figures of the gateway are too low.',
    '{day}：有 {count} 个请求的记录已过期，因此网关的数值偏低。',
  ],
  skipped: [
    { one: '{count} row of another key was left out.', other: '{count} rows of other keys were left out.' },
    '其他密钥的 {count} 行未参与对账。',
  ],
  repeated: [
    'Rows that equal an earlier row in every column: {rows}. The export may have them twice.',
    '以下各行与前面某一行完全相同：{rows}。导出文件可能重复。',
  ],
  absent: [
    'Not compared, because the file has no column for it: {fields}.',
    '文件中没有对应的列，未参与对账：{fields}。',
  ],
  matched: ['{invoice} in the file was compared with {model}.', '文件中的 {invoice} 已与 {model} 对账。'],
  noCost: ['The cost was not compared, because some routes have no cost.', '部分路由未设置成本，因此未核对费用。'],
  sides: ['Invoice {invoice}, gateway {gateway}', '账单 {invoice}，网关 {gateway}'],
  charged: ['Charged to accounts', '向账户收取'],
  chargedHelp: ['For the same answers', '对应相同的回答'],

  lines: ['Comparison by day and model', '按日期和模型对账'],
  explanation: ['Explanation', '原因'],
  agrees: ['Agrees', '一致'],
  unexplained: ['No request explains it', '没有能解释差异的请求'],
  allLines: ['All lines', '全部'],
  onlyDifferent: ['Differences', '仅差异'],
  invoice: ['Invoice', '账单'],
  gateway: ['Gateway', '网关'],
  difference: ['Difference', '差异'],
  attempts: [
    { one: '{count} attempt, {failed} failed', other: '{count} attempts, {failed} failed' },
    '{count} 次尝试，其中 {failed} 次失败',
  ],
  requests: ['Requests that explain it', '能解释差异的请求'],
  request: ['Request', '请求'],
  started: ['Started', '开始时间'],
  reasons: ['Reasons', '原因'],
  tokens: ['Tokens', 'Token'],
  reasonCount: ['{reason}: {count}', '{reason}：{count}'],
  modelNames: ['Models that only the file has', '仅文件中出现的模型'],
  modelNamesHelp: [
    'If the gateway calls such a model by another name, select it and compare again.',
    '如果网关中该模型的名称不同，请选择对应的模型后重新对账。',
  ],

  sameAs: ['Same as …', '对应模型…'],

  failed_attempt: ['Failed attempt', '失败的尝试'],
  discarded_answer: ['Discarded answer', '被丢弃的回答'],
  continued_answer: ['Continued answer', '被续写的回答'],
  client_gone: ['Client disconnected', '客户端断开'],
  clamped_usage: ['Clamped usage', '用量被限制'],
  estimated_usage: ['Estimated usage', '估算的用量'],
  counted_usage: ['Usage counted by the gateway', '网关自行计数的用量'],
  across_midnight: ['Across midnight', '跨越零点'],
  retry: ['Retry', '重试'],
  unknown_cost: ['Unknown cost', '成本未知'],

  problemTitle: ['The file cannot be compared', '无法使用此文件对账'],
  column_missing: ['The file has no known column for {field}. Select it below.', '未识别出“{field}”列，请在下方选择。'],
  column_unknown: ['The file has no column {name}.', '文件中没有“{name}”列。'],
  currencies: [
    'The file has costs in {first} and in {second}. Use a file for each currency.',
    '文件中的费用包含 {first} 和 {second} 两种币种，请分成两个文件。',
  ],
  days_not_utc: [
    'The days of the file are not UTC days: one begins at {value}. Export the usage in UTC, or by hour.',
    '文件中的日期不是 UTC 日期：有一天从 {value} 开始。请按 UTC 或按小时导出。',
  ],
  empty: ['The file has no usage, or none of the selected keys.', '文件中没有用量，或没有所选密钥的用量。'],
  incomplete_file: [
    'The file is only one page of the usage: its has_more is true. Fetch the other pages too.',
    '文件只是用量的其中一页（has_more 为 true），请获取全部分页。',
  ],
  not_json: ['The file begins like JSON, but is not valid JSON. Export it again.', '文件不是有效的 JSON，请重新导出。'],
  quote_open: [
    'Row {row} has a cell whose quotes do not end. Correct the row, or export the file again.',
    '第 {row} 行有未闭合的引号，请修正或重新导出。',
  ],
  row_too_long: [
    'Row {row} has {cells} cells, but the file has {columns} columns. Put numbers with separators, such as 1,200, into quotes.',
    '第 {row} 行有 {cells} 个单元格，但文件只有 {columns} 列。请为带分隔符的数字（如 1,200）加引号。',
  ],
  too_large: [
    'The file is larger than 32 MB. Export fewer days, or the usage by day instead of by minute.',
    '文件超过 32 MB。请减少天数，或按天而不是按分钟导出。',
  ],
  too_many_lines: [
    'The file has {lines} different days, models and keys. At most {max} can be compared at once. Export fewer days.',
    '文件包含 {lines} 个不同的日期、模型和密钥组合，一次最多 {max} 个。请减少天数。',
  ],
  value_invalid: [
    'Row {row}: “{value}” in the column {column} does not fit “{field}”. Correct the row, or select another column.',
    '第 {row} 行：“{column}”列的“{value}”不符合“{field}”。请修正该行，或选择其他列。',
  ],
} as const satisfies Strings;

/** The labels of the compared figures. */
export const figureLabels = {
  input_tokens: 'tokensIn',
  cached_tokens: 'cached',
  output_tokens: 'output',
  cost: 'cost',
} as const;
