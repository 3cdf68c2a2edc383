/** The fields of replies that accounts, members and balances have for teams. */
export const soloAccount = {
  billing: 'prepaid',
  limits: [],
  windows: [],
  organisation_id: null,
  organisation: null,
  open_amount: '0.00',
};

export const unlimited = { limits: [], windows: [], models: null, max_concurrency: null, keys: 0 };

export const prepaid = { billing: 'prepaid', open_amount: '0.00' };

export const monthly = {
  limits: [
    { amount: '1000.00', period: 'month', notify_at: ['0.8'] },
    { amount: '80.00', period: 'day' },
  ],
  windows: [
    {
      period: 'month',
      amount: '1000.00',
      spent: '412.50',
      reserved: '3.20',
      left: '584.30',
      resets_at: '2026-12-01T00:00:00.000Z',
    },
    {
      period: 'day',
      amount: '80.00',
      spent: '80.00',
      reserved: '0.00',
      left: '0.00',
      resets_at: '2026-11-19T00:00:00.000Z',
    },
  ],
};

export const organisation = {
  id: 'org_1',
  name: 'acme-group',
  display_name: 'Acme Group',
  models: ['house/*'],
  ...monthly,
  time_zone: 'Europe/Berlin',
  source: 'store',
  created_at: '2026-01-01T10:00:00.000Z',
  version: '0123456789abcdef',
  accounts: 2,
  recent_spend: '412.50',
  open_amount: '96.30',
};

const line = { opening: '0.00', credits: '25.00', charges: '-96.30', closing: '-71.30' };

export const bills = [
  {
    month: '2026-11',
    is_closed: false,
    document: null,
    currency: 'USD',
    opening: '-71.30',
    credits: '0.00',
    charges: '-25.00',
    closing: '-96.30',
    open_amount: '96.30',
    lines: [],
  },
  {
    month: '2026-10',
    is_closed: true,
    document: 'B-2026-000001',
    currency: 'USD',
    ...line,
    open_amount: '71.30',
    lines: [{ account_id: 'acc_1', account: 'Research', ...line }],
  },
];

export const organisationMembers = {
  data: [
    {
      id: 'usr_1',
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      role: 'owner',
      since: '2026-01-01T10:00:00.000Z',
      version: 'v1',
    },
    {
      id: 'usr_7',
      email: 'vera@example.com',
      name: 'Vera Rubin',
      role: 'viewer',
      since: '2026-02-01T10:00:00.000Z',
      version: 'v1',
    },
  ],
};
