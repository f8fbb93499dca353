import type { ExplainStatus } from '../../embeddings/http/http-client.js';
import type { ChatAnswer, ChatRequest } from '../chat-model.js';
import type { ChatVendor } from '../chat-vendors.js';

/** What a request is made of besides what is asked. */
export interface ApiSettings {
  readonly vendor: ChatVendor;
  readonly model: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Whether that is an address of the configuration, which may be another server of the same manner. */
  readonly customEndpoint: boolean;
  readonly key: string | undefined;
  /** Of the configuration; secrets resolved. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One vendor's way of being asked. */
export interface ChatApi {
  readonly url: (settings: ApiSettings) => string;
  readonly headers: (settings: ApiSettings) => Readonly<Record<string, string>>;
  readonly body: (
    settings: ApiSettings,
    request: Pick<ChatRequest, 'maxTokens' | 'messages' | 'system' | 'thinking'>,
  ) => Readonly<Record<string, unknown>>;
  /** @throws VendorFault for what is no answer */
  readonly read: (json: unknown) => ChatAnswer;
  readonly explain: ExplainStatus;
}
