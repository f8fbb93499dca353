import { type FakeVendor, type RecordedRequest, startFake } from '../../test/fakes/fake-vendor.js';

/** What the model answers in the end: a decision, for the hooks that capture one. */
export const ANSWER = 'Decision: the blue mug stays in the kitchen.';

const QUERY = { query: 'blue mug' };

/** The ways in which agents call models: by the path of the request, what the answer is. */
const DIALECTS: Readonly<Record<string, (name: string | undefined) => unknown[]>> = {
  '/v1/messages': (name) => [
    { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: {} } },
    ...(name === undefined
      ? [
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          delta({ type: 'text_delta', text: ANSWER }),
        ]
      : [
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'tool_use', id: 'toolu_1', name, input: {} },
          },
          delta({ type: 'input_json_delta', partial_json: JSON.stringify(QUERY) }),
        ]),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: name === undefined ? 'end_turn' : 'tool_use' },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ],
  '/v1/responses': (name) => [
    { type: 'response.created', response: { id: 'resp_1' } },
    {
      type: 'response.output_item.done',
      item:
        name === undefined
          ? { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: ANSWER }] }
          : {
              type: 'function_call',
              call_id: 'call_1',
              namespace: 'mcp__svc',
              name: 'memory_search',
              arguments: JSON.stringify(QUERY),
            },
    },
    {
      type: 'response.completed',
      response: { id: 'resp_1', usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    },
  ],
  '/v1/chat/completions': (name) => [
    choice(
      name === undefined
        ? { content: ANSWER }
        : {
            tool_calls: [
              {
                index: 0,
                id: 'call_1',
                type: 'function',
                function: { name, arguments: JSON.stringify(QUERY) },
              },
            ],
          },
    ),
    choice({}, name === undefined ? 'stop' : 'tool_calls'),
  ],
  ':streamGenerateContent': (name) => [
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              name === undefined ? { text: ANSWER } : { functionCall: { name, args: QUERY } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    },
  ],
};

function delta(part: object) {
  return { type: 'content_block_delta', index: 0, delta: part };
}

function choice(part: object, reason: string | null = null) {
  return { choices: [{ index: 0, delta: { role: 'assistant', ...part }, finish_reason: reason }] };
}

/** Whether a request has what a tool returned. */
const TOOL_RESULT = /"tool_result"|"function_call_output"|"role":"tool"|"functionResponse"/u;

/** A model for each agent, in its own API: it calls `memory_search` if it can, and then answers. */
export function startModel(): Promise<FakeVendor> {
  return startFake({
    answer: (request) => {
      const dialect = Object.keys(DIALECTS).find((path) => request.path.includes(path));
      if (dialect === undefined) return { status: 200, body: {} };
      const events = DIALECTS[dialect]?.(toolOf(request)) ?? [];
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: events.map(asEvent).join(''),
      };
    },
    troubleAnswers: {},
  });
}

/** The name by which the agent knows the tool; undefined if the model cannot call it, or has. */
function toolOf({ body }: RecordedRequest): string | undefined {
  const text = body.toString('utf8');
  if (TOOL_RESULT.test(text)) return undefined;
  // Codex lists the server only, with its name.
  const [, name = text.includes('mcp__svc:') ? 'memory_search' : undefined] =
    /"name":"([^"]*memory_search)"/u.exec(text) ?? [];
  return name;
}

function asEvent(data: unknown): string {
  const type = typeof data === 'object' && data !== null && 'type' in data ? data.type : undefined;
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
}
