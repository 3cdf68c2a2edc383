import { operating } from './operating-replies.ts';
import type { Replies } from './fake-console.ts';

const day = '2026-11-01';

function figures(input: number, cached: number, output: number, cost: string) {
  return { input_tokens: input, cached_tokens: cached, output_tokens: output, cost };
}

function ownFigures(attempts: number, failed: number, sums: ReturnType<typeof figures>) {
  return { ...sums, attempts, failed_attempts: failed, answers: attempts - failed, answers_without_cost: 0 };
}

const agreeing = {
  day,
  model: 'deepseek-chat',
  credential: null,
  invoice: figures(1_204_000, 81_000, 52_310, '2.018125'),
  own: ownFigures(412, 0, figures(1_204_000, 81_000, 52_310, '2.018125')),
  charged: '2.4445',
  difference: figures(0, 0, 0, '0.00'),
  different: [],
  reasons: {},
  requests: [],
};

const retried = {
  ...agreeing,
  model: 'deepseek-reasoner',
  invoice: figures(350_000, 0, 9_000, '0.734000001'),
  own: ownFigures(41, 2, figures(300_000, 0, 9_000, '0.67')),
  charged: '0.81',
  difference: figures(50_000, 0, 0, '0.064000001'),
  different: ['input_tokens', 'cost'],
  reasons: { failed_attempt: 2, retry: 2 },
  requests: [
    {
      id: '20261101120001074f7phrwhr2u',
      started_at: `${day}T12:00:01.074Z`,
      reasons: ['failed_attempt', 'retry'],
      tokens: 26_000,
    },
    {
      id: '20261101130001074f7phrwhr2v',
      started_at: `${day}T13:00:01.074Z`,
      reasons: ['failed_attempt', 'retry'],
      tokens: 14_000,
    },
  ],
};

const renamed = {
  ...agreeing,
  model: 'deepseek-chat-lite',
  invoice: figures(900, 0, 40, '0.0021'),
  own: ownFigures(0, 0, figures(0, 0, 0, '0.00')),
  charged: '0.00',
  difference: figures(900, 0, 40, '0.0021'),
  different: ['input_tokens', 'output_tokens', 'cost'],
};

const result = {
  upstream: 'deepseek',
  currency: 'USD',
  from: day,
  to: '2026-11-02',
  tolerance: '0.5',
  by_credential: false,
  different_lines: 2,
  missing_records: [{ day: '2026-11-02', requests: 3 }],
  matched_models: [{ invoice: 'deepseek-chat-2026-06-01', model: 'deepseek-chat' }],
  totals: {
    invoice: figures(1_554_900, 81_000, 61_350, '2.754225001'),
    own: ownFigures(453, 2, figures(1_504_000, 81_000, 61_310, '2.688125')),
    charged: '3.2545',
    difference: figures(50_900, 0, 40, '0.066100001'),
  },
  lines: [agreeing, renamed, retried],
};

export const agreement = {
  ...result,
  different_lines: 0,
  missing_records: [],
  matched_models: [],
  totals: {
    invoice: agreeing.invoice,
    own: agreeing.own,
    charged: agreeing.charged,
    difference: agreeing.difference,
  },
  lines: [agreeing],
};

export const reconciling: Replies = { ...operating, 'POST /admin/v1/reconciliations': result };

/** OpenAI's export, with a row twice. */
export const knownFile = [
  'start_time,start_time_iso,model,input_tokens,output_tokens,input_cached_tokens,cost,api_key_id',
  '1793491200,2026-11-01T00:00:00+00:00,deepseek-chat-2026-06-01,1204000,52310,81000,2.018125,key_a',
  '1793491200,2026-11-01T00:00:00+00:00,deepseek-reasoner,175000,4500,0,0.367,key_b',
  '1793491200,2026-11-01T00:00:00+00:00,deepseek-reasoner,175000,4500,0,0.367,key_b',
].join('\n');

/** An export whose columns have no usual names. */
export const unknownFile = 'Tag;Modell;Frisch;Zwischenspeicher;Raus;Preis\n2026-11-01;deepseek-chat;700;300;50;12,5\n';
