export interface ChatMessage {
  readonly role: 'assistant' | 'user';
  readonly text: string;
}

/** How much a model may think; models without that setting ignore it. */
export type Thinking = 'adaptive' | 'high' | 'low' | 'max' | 'medium' | 'minimal' | 'off' | 'xhigh';

export interface ChatRequest {
  /** Instructions; empty for none. */
  readonly system: string;
  /** In order; the last one is the user's. */
  readonly messages: readonly ChatMessage[];
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
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
}

export interface ChatModel {
  /** As requested: `provider/model`. */
  readonly name: string;
  /** @throws SvcError PROVIDER_*, or the signal's reason */
  complete(request: ChatRequest): Promise<ChatAnswer>;
}
