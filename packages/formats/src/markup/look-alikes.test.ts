import { expect, test } from 'vitest';
import { families } from './families.ts';
import { pieces, readMarkup } from '../../../../test/fixtures/dialects/markup/read-markup.ts';

/** Text that mentions or resembles markup without being markup. */
const corpus: readonly string[] = [
  'To call a tool, the model writes `<tool_call>` and then JSON; `</tool_call>` ends it.',
  'Hermes:\n```\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n```\nKimi:\n```text\n<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{}<|tool_call_end|>\n```',
  'Inline `<function=get_weather>{"city": "Oslo"}</function>` is the older form.',
  '<html>\n<body>\n<function>\n<invoke>\n<parameter>x</parameter>\n</body>\n</html>',
  '<!DOCTYPE html><div class="a"><p>1 < 2 && 3 > 2</p><script>if (a<b) { c() }</script></div>',
  'let double = List.map (fun x -> x * 2) <| [1; 2; 3] |> List.rev // F#',
  'value |> String.trim() |> IO.puts() # Elixir, and <|> in Haskell: (<|>) <$> a <*> b',
  '>>> get_tide\n>>> print("all")\n>>> [1, 2]\n[1, 2]',
  'See [the docs](https://example.com/[TOOL]) and [ARGS] or [TOOL_CALLS] alone, [x][1].',
  '{"name": "Alice", "arguments": {"for": 1, "against": 2}}',
  '[{"name": "Alice", "parameters": {"height": 170}}, {"name": "Bob"}]',
  '```json\n{"name": "example", "arguments": {}}\n```',
  '[foo(x=1), bar()]',
  'functools[0] is the first; from functools import reduce',
  'Action: none is needed. ```json``` is a fence.',
  'The tags <think> and </think> hold notes; <seed:think> does in another family, [THINK] in a third.',
  'A list: <tool_calls> nothing here </tool_calls>, <TOOLCALL></TOOLCALL>, <function_calls> (none) </function_calls>.',
  'Tokens: <|im_start|>, <|im_end|> and <|eot_id|> in the middle; <｜tool▁calls▁begin｜> too.',
  '<invoke name="nothing">x</invoke> and <function name="zzz"><param name="a">1</param></function>',
  'x <= y, a << b, c <<< d, <- e, <|f|>, <>, </>, <',
  '<|channel|> is a token of harmony, and so is <|start|>; <|message|> follows both in its headers.',
  '<tool_call>nothing</tool_call>',
  '<tool_call> {"title": "no name here"} </tool_call>',
  'call:me{maybe} and <|tool_call> without the rest',
  ']<]minimax[>[ is an odd separator.',
];

test.each(corpus)('%j is passed on unchanged', (text) => {
  for (const format of ['auto', ...families.map(({ id }) => id)]) {
    // The text of one family may be a complete answer of another.
    if (format === 'functionary_v32' && text.startsWith('>>>')) continue;
    for (const size of [1, 3, text.length]) {
      expect(readMarkup(pieces(text, size), { format }), format).toEqual({ content: text, reasoning: '', calls: [] });
    }
  }
});
