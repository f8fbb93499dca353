import type { Access } from '../embeddings/open-provider.js';
import { explainGemini } from '../providers/gemini/connection.js';
import { bearerHeaders, type ExplainStatus } from '../providers/http/http-client.js';
import { jsonAt, textAt } from '../providers/http/status-fault.js';
import { explainOpenAi } from '../providers/openai.js';
import { withoutResult } from '../providers/read-vectors.js';
import { isRecord } from '../support/text.js';
import type { ChatChoice, ChatVendor } from './choose-chat-model.js';

/** How much a model may think; models without that setting ignore it. */
type Thinking = 'adaptive' | 'high' | 'low' | 'max' | 'medium' | 'minimal' | 'off' | 'xhigh';

export interface ChatRequest {
  /** Instructions; empty for none. */
  readonly system: string;
  readonly prompt: string;
  /** Tokens of the answer, without thinking. */
  readonly maxTokens: number;
  readonly thinking?: Thinking | undefined;
  /** Limit of one try; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface ChatAnswer {
  /** Without the model's thoughts; may be empty. */
  readonly text: string;
  /** Whether it reached `maxTokens`. */
  readonly truncated: boolean;
  /** Billed tokens, if reported. */
  readonly tokens: number | undefined;
}

/** What differs among models with the same API. Refusals reveal it; see {@link traitsIn}. */
export interface ModelTraits {
  /** Whether it is a server of any kind that copies OpenAI's API; one in front of OpenAI's models is not. */
  readonly isCompatible: boolean;
  /** Whether it decides itself how long to think, or gets a budget. Undefined until it refuses one of these. */
  readonly isAdaptive?: boolean | undefined;
  /** The efforts it accepts, in order; empty if it does not know the field. Undefined until it refuses one. */
  readonly efforts?: readonly string[] | undefined;
  /** Whether it must be told not to think, because it thinks only where the answer is streamed. */
  readonly streamsThoughts?: boolean | undefined;
  /** Whether it refuses instructions that are not part of the prompt. */
  readonly lacksSystem?: boolean | undefined;
}

interface ApiSettings extends Access, Pick<ChatChoice, 'baseUrl' | 'model'> {
  readonly vendor: ChatVendor;
}

interface ChatApi {
  readonly url: (settings: ApiSettings) => string;
  readonly headers: (settings: ApiSettings) => Readonly<Record<string, string>>;
  readonly body: (
    settings: ApiSettings & ModelTraits,
    request: Pick<ChatRequest, 'maxTokens' | 'prompt' | 'system' | 'thinking'>,
  ) => Readonly<Record<string, unknown>>;
  /** @throws VendorFault if there is no answer in it */
  readonly read: (json: unknown) => ChatAnswer;
  readonly explain: ExplainStatus;
}

/** Vendors count thinking towards the limit of the answer, and most newer models think unasked. */
const THINKING_TOKENS = 4096;

/**
 * OpenAI's `POST /chat/completions` (platform.openai.com/docs/api-reference/chat), which other
 * vendors copy.
 */
const OPENAI_CHAT: ChatApi = {
  url: ({ baseUrl }) => `${baseUrl}/chat/completions`,
  headers: ({ credential, headers }) => bearerHeaders(credential?.value, headers),
  body: (settings, { system, prompt, maxTokens, thinking = 'off' }) => {
    const { vendor, model, isCompatible, lacksSystem, streamsThoughts = false } = settings;
    const { efforts = EFFORTS.slice(0, -1) } = settings;
    const thinks = vendor.reasons && thinking !== 'off';
    // A compatible server may refuse a limit that its context has no room for.
    const least = isCompatible ? 0 : THINKING_TOKENS;
    const effort = thinks ? effortOf(thinking, efforts) : undefined;
    // OpenAI's newer models reject the old name; other servers might not know the new one.
    const limitField = isCompatible ? 'max_tokens' : vendor.limitField;
    return {
      model,
      messages: messagesOf(system, prompt, lacksSystem),
      [limitField]: thinks ? maxTokens + THINKING_TOKENS : Math.max(maxTokens, least),
      ...(effort === undefined ? {} : { reasoning_effort: effort }),
      ...(streamsThoughts ? { enable_thinking: false } : {}),
      stream: false,
    };
  },
  read: (json) => {
    const message = jsonAt(json, 'choices', 0, 'message');
    // Refusals and pure tool calls have no content, and answers of Gemini that end at their limit.
    const content = isRecord(message) ? (message['content'] ?? '') : undefined;
    const text = typeof content === 'string' ? content : textOfParts(content);
    if (text === undefined) throw withoutResult(json, 'no message');
    return {
      text: withoutThoughts(text),
      truncated: jsonAt(json, 'choices', 0, 'finish_reason') === 'length',
      tokens: tokensOf(
        jsonAt(json, 'usage', 'prompt_tokens'),
        jsonAt(json, 'usage', 'completion_tokens'),
      ),
    };
  },
  explain: (answer) => {
    // Behind its OpenAI-compatible endpoint, Gemini reports errors in its own form, in a list.
    const body: unknown = Array.isArray(answer.body) ? answer.body[0] : answer.body;
    return textAt(body, 'error', 'status') === undefined
      ? explainOpenAi({ ...answer, body })
      : explainGemini({ ...answer, body });
  },
};

function messagesOf(system: string, prompt: string, lacksSystem = false): readonly object[] {
  if (system === '') return [{ role: 'user', content: prompt }];
  if (lacksSystem) return [{ role: 'user', content: `${system}\n\n${prompt}` }];
  return [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ];
}

/** How much a model can be told to think, in order. */
const EFFORTS: readonly string[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The highest accepted effort of at most the wanted one, else the lowest; undefined to leave it to the model. */
function effortOf(thinking: Thinking, accepted: readonly string[]): string | undefined {
  if (thinking === 'adaptive') return undefined;
  const wanted = EFFORTS.indexOf(thinking);
  return accepted.findLast((effort) => EFFORTS.indexOf(effort) <= wanted) ?? accepted[0];
}

/**
 * What a refused request reveals about a model; undefined if nothing. Newer models of Anthropic point to
 * "thinking.type.adaptive", newer ones of OpenAI to "max_completion_tokens". Of both, and of Gemini, a refusal of an effort
 * names those that are supported, or only the refused one, or none if the model does not know the field. Those that do not
 * know the role "system" are Gemma's at Google, and local models whose template has none. Those that think only in a stream
 * are Qwen's in Alibaba's Model Studio (github.com/langchain4j/langchain4j, issue 3974).
 *
 * @param efforts what it accepts as far as is known
 */
export function traitsIn(refusal: string, efforts = EFFORTS): Partial<ModelTraits> | undefined {
  if (/"thinking\.type\.enabled" is not supported/u.test(refusal)) return { isAdaptive: true };
  if (/\badaptive thinking is not supported/iu.test(refusal)) return { isAdaptive: false };
  if (/'max_tokens'.{0,100}'max_completion_tokens'/su.test(refusal)) return { isCompatible: false };
  if (LACKS_SYSTEM.test(refusal)) return { lacksSystem: true };
  if (/enable.thinking.{0,30}\bstream|enable_thinking must be set to false/u.test(refusal)) {
    return { streamsThoughts: true };
  }
  if (!MENTIONS_EFFORT.test(refusal)) return undefined;
  const [, listed] = LISTED_EFFORTS.exec(refusal) ?? [];
  const words = (listed ?? refusal).toLowerCase().split(/[\W_]+/u);
  if (listed !== undefined) return { efforts: EFFORTS.filter((effort) => words.includes(effort)) };
  const isNamed = EFFORTS.some((effort) => words.includes(effort));
  return { efforts: isNamed ? efforts.filter((effort) => !words.includes(effort)) : [] };
}

const MENTIONS_EFFORT =
  /effort\b|\bthinking.level|\b(?:value:|should be) '(?:minimal|low|medium|x?high)'/iu;
/** vLLM and SGLang add the refused one as the input (github.com/router-for-me/CLIProxyAPI, issue 1572). */
const LISTED_EFFORTS = /\b(?:(?:values|levels)(?: are)?:|one of|should be)(.*?)(?:'input'|$)/su;

/** By Google, by templates of Gemma and Mistral in vLLM, SGLang and LM Studio, and by OpenAI. */
const LACKS_SYSTEM =
  /developer instruction is not enabled|system role (?:is )?not supported|only user and assistant roles are supported|does not support 'system'/iu;

/** Anthropic's models and Mistral's thinking models answer in parts; the text parts are the answer. */
function textOfParts(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) =>
    jsonAt(part, 'type') === 'text' ? jsonAt(part, 'text') : undefined,
  );
  return texts.filter((text) => typeof text === 'string').join('');
}

/**
 * Small models include their thoughts in the answer, in tags. Where a template has begun them, only the second tag is in it
 * (github.com/vllm-project/vllm, issues 17144 and 31045).
 */
function withoutThoughts(text: string): string {
  return text
    .replace(
      /^\s*(?:<think(?:ing)?>.*?(?:<\/think(?:ing)?>|$)|\[THINK\].*?(?:\[\/THINK\]|$))/su,
      '',
    )
    .replace(/^(?:(?!<think).)*?<\/think>[^\S\n]*\n/su, '')
    .trim();
}

function tokensOf(input: unknown, output: unknown): ChatAnswer['tokens'] {
  return typeof input === 'number' && typeof output === 'number' ? input + output : undefined;
}

/** Tokens for thinking; the API's minimum is 1,024. */
const BUDGETS: Readonly<Record<Exclude<Thinking, 'off'>, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 4096,
  adaptive: 8192,
  high: 8192,
  xhigh: 16_384,
  max: 32_768,
};

/** `POST /v1/messages` (docs.claude.com/en/api/messages). */
const ANTHROPIC_CHAT: ChatApi = {
  url: ({ baseUrl }) => `${baseUrl}/messages`,
  headers: ({ credential, headers }) => ({
    'anthropic-version': '2023-06-01',
    ...(credential === undefined ? {} : { 'x-api-key': credential.value }),
    ...headers,
  }),
  body: (settings, { system, prompt, maxTokens, thinking = 'off' }) => ({
    model: settings.model,
    ...(system === '' ? {} : { system }),
    messages: [{ role: 'user', content: prompt }],
    ...limits(maxTokens, thinking, settings),
  }),
  read: (json) => {
    const text = textOfParts(jsonAt(json, 'content'));
    if (text === undefined) throw withoutResult(json, 'no message');
    return {
      text: text.trim(),
      truncated: jsonAt(json, 'stop_reason') === 'max_tokens',
      tokens: tokensOf(
        jsonAt(json, 'usage', 'input_tokens'),
        jsonAt(json, 'usage', 'output_tokens'),
      ),
    };
  },
  // `{type: "error", error: {type, message}}` (docs.claude.com/en/api/errors)
  explain: ({ status, body }) => {
    const code = textAt(body, 'error', 'type');
    const isSpent = /credit balance/iu.test(textAt(body, 'error', 'message') ?? '');
    if (status === 400 && isSpent) return { code, kind: 'quota' };
    return status === 413 ? { code, kind: 'too_large' } : { code };
  },
};

/** Thinking counts towards `max_tokens`, so it is added. */
function limits(
  maxTokens: number,
  thinking: Thinking,
  { isAdaptive = thinking === 'adaptive', efforts = EFFORTS.slice(1) }: ModelTraits,
): Readonly<Record<string, unknown>> {
  if (thinking === 'off') return { max_tokens: Math.max(maxTokens, THINKING_TOKENS) };
  const budget = BUDGETS[thinking];
  const max_tokens = maxTokens + budget;
  if (!isAdaptive) return { max_tokens, thinking: { type: 'enabled', budget_tokens: budget } };
  const effort = effortOf(thinking, efforts);
  return {
    max_tokens,
    thinking: { type: 'adaptive' },
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

export const CHAT_APIS: Readonly<Record<ChatVendor['api'], ChatApi>> = {
  anthropic: ANTHROPIC_CHAT,
  openai: OPENAI_CHAT,
};
