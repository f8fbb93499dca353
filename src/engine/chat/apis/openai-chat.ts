import { explainOpenAi } from '../../embeddings/adapters/openai.js';
import { jsonAt } from '../../embeddings/http/status-fault.js';
import { VendorFault } from '../../embeddings/vendor-fault.js';
import type { Thinking } from '../chat-model.js';
import type { ChatApi } from './api.js';

/** `reasoning_effort` has these words; the others are the nearest of them. */
const EFFORT: Readonly<Record<Exclude<Thinking, 'adaptive' | 'off'>, string>> = {
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'xhigh',
};

/** Room for thoughts, which vendors take out of the same limit as the answer. */
const THINKING_TOKENS = 4096;

/**
 * `POST /chat/completions` as OpenAI describes it (platform.openai.com/docs/api-reference/chat), which
 * the other vendors follow.
 */
export const OPENAI_CHAT: ChatApi = {
  url: ({ baseUrl }) => `${baseUrl}/chat/completions`,
  headers: ({ key, headers }) => ({
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...headers,
  }),
  body: ({ vendor, model, customEndpoint }, { system, messages, maxTokens, thinking = 'off' }) => {
    const thinks = vendor.reasons && thinking !== 'off';
    const effort = thinks && thinking !== 'adaptive' ? EFFORT[thinking] : undefined;
    // OpenAI's newer models refuse the older name; other servers may not know the newer one.
    const limitField = customEndpoint ? 'max_tokens' : vendor.limitField;
    return {
      model,
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        ...messages.map(({ role, text }) => ({ role, content: text })),
      ],
      [limitField]: maxTokens + (thinks ? THINKING_TOKENS : 0),
      ...(effort === undefined ? {} : { reasoning_effort: effort }),
      stream: false,
    };
  },
  read: (json) => {
    const content = jsonAt(json, 'choices', 0, 'message', 'content');
    // A refusal, or an answer of tool calls alone, comes without content.
    const text =
      typeof content === 'string' ? content : content === null ? '' : textOfParts(content);
    if (text === undefined) {
      throw new VendorFault({ kind: 'answer', message: 'the answer holds no message' });
    }
    return {
      text: withoutThoughts(text),
      truncated: jsonAt(json, 'choices', 0, 'finish_reason') === 'length',
      tokens: tokensOf(
        jsonAt(json, 'usage', 'prompt_tokens'),
        jsonAt(json, 'usage', 'completion_tokens'),
      ),
    };
  },
  explain: explainOpenAi,
};

/** Some servers answer in parts, as Mistral's thinking models do: those of text are the answer. */
function textOfParts(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) =>
    jsonAt(part, 'type') === 'text' ? jsonAt(part, 'text') : undefined,
  );
  return texts.filter((text) => typeof text === 'string').join('');
}

/** Small models write down what they think, between marks of their own, as part of the answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>.*?(?:<\/think(?:ing)?>|$(?![\s\S]))/su, '').trim();
}

/** What was billed; undefined where the vendor does not say both. */
export function tokensOf(
  input: unknown,
  output: unknown,
): { readonly input: number; readonly output: number } | undefined {
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : undefined;
}
