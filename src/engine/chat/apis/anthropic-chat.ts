import { jsonAt } from '../../embeddings/http/status-fault.js';
import { VendorFault } from '../../embeddings/vendor-fault.js';
import type { Thinking } from '../chat-model.js';
import type { ChatApi } from './api.js';
import { tokensOf } from './openai-chat.js';

/** Tokens for thinking; the API takes no less than 1024. */
const BUDGETS: Readonly<Record<Exclude<Thinking, 'adaptive' | 'off'>, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 4096,
  high: 8192,
  xhigh: 16_384,
  max: 32_768,
};
/** Where the model itself decides how long it thinks. */
const ADAPTIVE_ROOM = 8192;

/** `POST /v1/messages` (docs.claude.com/en/api/messages). */
export const ANTHROPIC_CHAT: ChatApi = {
  url: ({ baseUrl }) => `${baseUrl}/messages`,
  headers: ({ key, headers }) => ({
    'anthropic-version': '2023-06-01',
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...headers,
  }),
  body: ({ model }, { system, messages, maxTokens, thinking = 'off' }) => ({
    model,
    ...(system === '' ? {} : { system }),
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    ...limits(maxTokens, thinking),
  }),
  read: (json) => {
    const content = jsonAt(json, 'content');
    if (!Array.isArray(content)) {
      throw new VendorFault({ kind: 'answer', message: 'the answer holds no message' });
    }
    const texts = content.map((part: unknown) =>
      jsonAt(part, 'type') === 'text' ? jsonAt(part, 'text') : undefined,
    );
    return {
      text: texts
        .filter((text) => typeof text === 'string')
        .join('')
        .trim(),
      truncated: jsonAt(json, 'stop_reason') === 'max_tokens',
      tokens: tokensOf(
        jsonAt(json, 'usage', 'input_tokens'),
        jsonAt(json, 'usage', 'output_tokens'),
      ),
    };
  },
  // `{type: "error", error: {type, message}}` (docs.claude.com/en/api/errors)
  explain: ({ status, body }) => {
    const type = jsonAt(body, 'error', 'type');
    const message = jsonAt(body, 'error', 'message');
    const code = typeof type === 'string' ? { code: type } : {};
    const isSpent = typeof message === 'string' && /credit balance/iu.test(message);
    if (status === 400 && isSpent) return { ...code, kind: 'quota' };
    if (status === 413) return { ...code, kind: 'too_large' };
    return code;
  },
};

/** Thoughts count towards `max_tokens`, so they come on top. */
function limits(maxTokens: number, thinking: Thinking): Readonly<Record<string, unknown>> {
  switch (thinking) {
    case 'off':
      return { max_tokens: maxTokens };
    case 'adaptive':
      return { max_tokens: maxTokens + ADAPTIVE_ROOM, thinking: { type: 'adaptive' } };
    default: {
      const budget = BUDGETS[thinking];
      const told = { type: 'enabled', budget_tokens: budget };
      return { max_tokens: maxTokens + budget, thinking: told };
    }
  }
}
