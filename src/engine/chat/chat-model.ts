/** One thing that was said. */
export interface ChatMessage {
  readonly role: 'assistant' | 'user';
  readonly text: string;
}

/** How much a model may think before it answers; models that cannot ignore it, or are not told. */
export type Thinking = 'adaptive' | 'high' | 'low' | 'max' | 'medium' | 'minimal' | 'off' | 'xhigh';

/** What a model is asked. */
export interface ChatRequest {
  /** Instructions; empty for none. */
  readonly system: string;
  /** In their order; the last one is the person's. */
  readonly messages: readonly ChatMessage[];
  /** Tokens of the answer; thinking comes on top. */
  readonly maxTokens: number;
  readonly thinking?: Thinking | undefined;
  /** Of one try, in milliseconds; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** Ends it at once, whatever it is waiting for. */
  readonly signal: AbortSignal;
}

/** What a model answered. */
export interface ChatAnswer {
  /** Its words alone, without what it thought; may be empty. */
  readonly text: string;
  /** Whether it stopped because `maxTokens` were used up. */
  readonly truncated: boolean;
  /** Tokens billed, where the vendor says so. */
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
}

/** A model that answers in words. */
export interface ChatModel {
  /** `provider/model`, as it was asked for. */
  readonly name: string;
  /** @throws SvcError PROVIDER_*, or the signal's reason */
  complete(request: ChatRequest): Promise<ChatAnswer>;
}
