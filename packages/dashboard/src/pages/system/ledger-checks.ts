/** The texts of the ledger checks, by the title that the gateway gives them. */
export const ledgerChecks = {
  'the two sides of every transaction sum to zero': 'system.checkTwoSides',
  'all entries together sum to zero': 'system.checkSumZero',
  'every balance equals the entries of its account': 'system.checkBalances',
  'the amount set aside equals the leases': 'system.checkLeases',
  'no available balance is below its floor, unless the account was postpaid': 'system.checkFloor',
  'every transaction matches its entries': 'system.checkTransactions',
  'no request is charged twice': 'system.checkTwice',
  'the hourly spend equals the charges': 'system.checkHours',
  'every closed month matches its transactions and starts with the closing balance of the month before':
    'system.checkMonths',
  'every payment was booked once with the amount paid, and every reversal was deducted': 'system.checkPayments',
  'every redeemed code was booked once, with its value': 'system.checkCodes',
  'the total spend of each key equals its charges': 'system.checkKeys',
  'the spend of every limit equals the charges that count for it': 'system.checkLimitSpend',
  'the leases of a limit never exceed it': 'system.checkLimitLeases',
  'a loss is booked only for the amount that exceeds its hold': 'system.checkLosses',
} as const;
