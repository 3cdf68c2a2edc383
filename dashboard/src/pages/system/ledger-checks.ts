/** The texts of the ledger checks, by the title that the gateway gives them. */
export const ledgerChecks = {
  'the two sides of every movement sum to zero': 'system.checkTwoSides',
  'all entries together sum to zero': 'system.checkSumZero',
  'every balance equals the entries of its account': 'system.checkBalances',
  'what is set aside equals the leases': 'system.checkLeases',
  'no available balance is below its floor': 'system.checkFloor',
  'every movement says the same as its entries': 'system.checkMovements',
  'no request is charged twice': 'system.checkTwice',
  'the spending by the hour equals the charges': 'system.checkHours',
  'every closed month says the same as its movements, and begins where the one before ended': 'system.checkMonths',
  'every payment brought what was paid, once, and what went back was taken back': 'system.checkPayments',
  'every redeemed code brought what it is worth, once': 'system.checkCodes',
  'what each key spent in all equals its charges': 'system.checkKeys',
  'a loss is booked only for what exceeded its hold': 'system.checkLosses',
} as const;
