import * as z from 'zod/mini';
import {
  type FakeAnswer,
  type FakeVendor,
  type RecordedRequest,
  startFake,
} from './fake-vendor.js';
import { jsonBody } from './openai-shape.js';

/** The key that the fakes accept. */
export const CHAT_KEY = 'sk-test-chat-0123456789abcdef';

/** A question to a fake, in one form for both APIs. */
export interface ChatQuestion {
  readonly model: string;
  readonly system: string;
  readonly user: string;
}

/** The answer of a fake: a text, or the whole answer of the vendor. */
export type ChatReply = string | { readonly content: unknown; readonly finish?: string };

/** Settings of a fake. */
export interface ChatFakeOptions {
  readonly reply?: (question: ChatQuestion) => ChatReply;
  /** Tokens that the model thinks, unasked. They count towards the limit of its answer. */
  readonly thinks?: number;
  /** Whether a model of Anthropic refuses a budget for thinking, as newer ones do, or else "adaptive". */
  readonly isAdaptive?: boolean;
  /** The efforts that a model accepts; if empty, it does not know the field. */
  readonly efforts?: readonly string[];
  /** What a model without the role "system" answers to it. */
  readonly lacksSystem?: string;
  /** Whether a model of OpenAI knows only the newer name of the limit, as those that think do. */
  readonly isNewer?: boolean;
}

const openAiRequest = z.strictObject({
  model: z.string().check(z.minLength(1)),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.string().check(z.minLength(1)),
      }),
    )
    .check(z.minLength(1)),
  max_tokens: z.optional(z.int().check(z.minimum(1))),
  max_completion_tokens: z.optional(z.int().check(z.minimum(1))),
  reasoning_effort: z.optional(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
  stream: z.optional(z.literal(false)),
});

/**
 * `POST /v1/chat/completions` as OpenAI describes it (platform.openai.com/docs/api-reference/chat).
 * Fields that the description does not have are refused.
 */
export function startOpenAiChatFake(options: ChatFakeOptions = {}): Promise<FakeVendor> {
  return startFake({
    answer: (request) => answerOpenAi(request, options),
    troubleAnswers: {
      key_refused: openAiFailure(401, 'invalid_request_error', 'invalid_api_key', KEY_REFUSED),
      model_unknown: openAiFailure(
        404,
        'invalid_request_error',
        'model_not_found',
        'No such model.',
      ),
      quota_spent: openAiFailure(
        429,
        'insufficient_quota',
        'insufficient_quota',
        'Quota exceeded.',
      ),
      overloaded: openAiFailure(503, 'server_error', 'server_is_overloaded', 'Overloaded.'),
      rate_limited: {
        ...openAiFailure(429, 'requests', 'rate_limit_exceeded', 'Rate limit reached.'),
        headers: { 'retry-after': '1' },
      },
    },
  });
}

/** A vendor's words may repeat the key. */
const KEY_REFUSED = `Incorrect API key provided: ${CHAT_KEY}.`;

function answerOpenAi(
  request: RecordedRequest,
  { reply, thinks = 0, efforts, lacksSystem, isNewer = false }: ChatFakeOptions,
): FakeAnswer {
  if (request.headers.authorization !== `Bearer ${CHAT_KEY}`) {
    return openAiFailure(401, 'invalid_request_error', 'invalid_api_key', KEY_REFUSED);
  }
  if (request.method !== 'POST' || !/\/chat\/completions$/.test(request.path)) {
    return openAiFailure(404, 'invalid_request_error', null, 'Unknown request URL.');
  }
  const parsed = openAiRequest.safeParse(jsonBody(request));
  if (!parsed.success) {
    return openAiFailure(400, 'invalid_request_error', null, z.prettifyError(parsed.error));
  }
  const {
    model,
    messages,
    max_tokens: older,
    max_completion_tokens: newer,
    reasoning_effort: effort,
  } = parsed.data;
  if (isNewer && older !== undefined) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return openAiFailure(400, 'invalid_request_error', 'unsupported_parameter', message);
  }
  if (effort !== undefined && efforts?.includes(effort) === false) {
    const listed = efforts.map((one) => `'${one}'`).join(', ');
    const message =
      listed === ''
        ? 'Unrecognized request argument supplied: reasoning_effort'
        : `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${listed}.`;
    return openAiFailure(400, 'invalid_request_error', 'unsupported_value', message);
  }
  if (older !== undefined && newer !== undefined) {
    return openAiFailure(400, 'invalid_request_error', null, 'Two limits contradict each other.');
  }
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  if (lacksSystem !== undefined && system !== '') {
    return openAiFailure(400, 'invalid_request_error', null, lacksSystem);
  }
  const user = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const isSpent = thinks >= (newer ?? older ?? Number.POSITIVE_INFINITY);
  const { content, finish = 'stop' } = isSpent
    ? { content: '', finish: 'length' }
    : replyOf(reply, { model, system, user });
  return {
    status: 200,
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    },
  };
}

function openAiFailure(
  status: number,
  type: string,
  code: string | null,
  message: string,
): FakeAnswer {
  return { status, body: { error: { message, type, param: null, code } } };
}

const anthropicRequest = z.strictObject({
  model: z.string().check(z.minLength(1)),
  max_tokens: z.int().check(z.minimum(1)),
  system: z.optional(z.string().check(z.minLength(1))),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.string().check(z.minLength(1)),
      }),
    )
    .check(z.minLength(1)),
  thinking: z.optional(
    z.union([
      z.strictObject({
        type: z.literal('enabled'),
        budget_tokens: z.int().check(z.minimum(1024)),
      }),
      z.strictObject({ type: z.literal('adaptive') }),
    ]),
  ),
  output_config: z.optional(
    z.strictObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']) }),
  ),
});

/** `POST /v1/messages` (docs.claude.com/en/api/messages). */
export function startAnthropicFake(options: ChatFakeOptions = {}): Promise<FakeVendor> {
  const { reply, thinks = 0 } = options;
  return startFake({
    answer: (request) => {
      if (request.headers['x-api-key'] !== CHAT_KEY) {
        return anthropicFailure(401, 'authentication_error', `invalid x-api-key ${CHAT_KEY}`);
      }
      if (request.headers['anthropic-version'] !== '2023-06-01') {
        return anthropicFailure(400, 'invalid_request_error', 'anthropic-version: is required');
      }
      if (request.method !== 'POST' || request.path !== '/v1/messages') {
        return anthropicFailure(404, 'not_found_error', 'Not found');
      }
      const parsed = anthropicRequest.safeParse(jsonBody(request));
      if (!parsed.success) {
        return anthropicFailure(400, 'invalid_request_error', z.prettifyError(parsed.error));
      }
      const { model, system = '', messages, max_tokens: limit } = parsed.data;
      const refusal = thinkingRefusal(parsed.data, options);
      if (refusal !== undefined) return anthropicFailure(400, 'invalid_request_error', refusal);
      const user = messages.at(-1)?.content ?? '';
      const { content, finish = 'end_turn' } =
        thinks >= limit
          ? { content: [], finish: 'max_tokens' }
          : replyOf(reply, { model, system, user });
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      return {
        status: 200,
        body: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: parts,
          stop_reason: finish,
          usage: { input_tokens: 12, output_tokens: 5 },
        },
      };
    },
    troubleAnswers: {
      overloaded: anthropicFailure(529, 'overloaded_error', 'Overloaded'),
      quota_spent: anthropicFailure(
        400,
        'invalid_request_error',
        'Your credit balance is too low to access the API.',
      ),
    },
  });
}

const ONLY_ADAPTIVE =
  '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

function thinkingRefusal(
  { max_tokens: limit, thinking, output_config }: z.infer<typeof anthropicRequest>,
  { isAdaptive, efforts }: ChatFakeOptions,
): string | undefined {
  if (thinking?.type === 'enabled') {
    if (thinking.budget_tokens >= limit) return 'max_tokens must exceed the budget';
    if (isAdaptive) return ONLY_ADAPTIVE;
  }
  if (thinking?.type === 'adaptive' && isAdaptive === false) {
    return 'adaptive thinking is not supported on this model';
  }
  const effort = output_config?.effort;
  if (effort === undefined || efforts === undefined || efforts.includes(effort)) return undefined;
  return efforts.length === 0
    ? 'This model does not support the effort parameter.'
    : `This model does not support effort level '${effort}'. Supported levels: ${efforts.join(', ')}.`;
}

function anthropicFailure(status: number, type: string, message: string): FakeAnswer {
  return { status, body: { type: 'error', error: { type, message } } };
}

function replyOf(
  reply: ChatFakeOptions['reply'],
  question: ChatQuestion,
): Exclude<ChatReply, string> {
  const answer = reply?.(question) ?? 'NONE';
  return typeof answer === 'string' ? { content: answer } : answer;
}
