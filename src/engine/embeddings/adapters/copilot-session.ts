import { type HttpAnswer, type HttpRequest, sendRequest } from '../http/http-client.js';
import { type CopilotToken, EDITOR_HEADERS, exchangeToken } from '../login/copilot-token.js';
import {
  type CachedToken,
  type CopilotModel,
  readCachedToken,
  type TokenOwner,
  writeCachedToken,
} from '../login/token-cache.js';
import type { BatchCall, VendorTools } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { explainOpenAi } from './openai.js';

/** A request to Copilot's API; its address and its token are added. */
export interface CopilotCall extends BatchCall, Pick<HttpRequest, 'json' | 'method'> {
  /** Below the API's base URL, with a slash before it. */
  readonly path: string;
}

/** What a session is opened with. */
export interface CopilotSessionOptions extends TokenOwner {
  /** Takes the place of the API that the token names. */
  readonly baseUrl: string | undefined;
  /** Further headers of every request to the API. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests to Copilot's API with the token that is good at the time: kept on disk between
 * processes, exchanged anew when it has expired or is refused.
 */
export class CopilotSession {
  private readonly options: CopilotSessionOptions;
  private readonly tools: VendorTools;
  private token: CachedToken | undefined;
  private exchange: Promise<CachedToken> | undefined;

  constructor(options: CopilotSessionOptions, tools: VendorTools) {
    this.options = options;
    this.tools = tools;
  }

  /** The model that was found with the token in use. @throws VendorFault */
  async knownModel(call: BatchCall): Promise<CopilotModel | undefined> {
    return (await this.current(call)).model;
  }

  /** Keeps a model that was found as long as the token holds. */
  keepModel(model: CopilotModel): void {
    if (this.token === undefined) return;
    this.token = { ...this.token, model };
    writeCachedToken(this.tools.stateDir, this.options, this.token);
  }

  /**
   * Sends a request; when its token is refused, once more with a new one.
   *
   * @throws VendorFault, or the signal's reason
   */
  async send(call: CopilotCall): Promise<HttpAnswer> {
    const token = await this.current(call);
    try {
      return await this.sendWith(token, call);
    } catch (error) {
      if (!(error instanceof VendorFault) || error.details.status !== 401) throw error;
      // Another request may have changed it meanwhile; then the new one is taken as it is.
      if (this.token === token) this.token = undefined;
      return this.sendWith(await this.current(call, token), call);
    }
  }

  private async sendWith(token: CopilotToken, { path, ...call }: CopilotCall): Promise<HttpAnswer> {
    const { baseUrl, headers } = this.options;
    const authorization = `Bearer ${token.value}`;
    return sendRequest(
      {
        ...call,
        url: `${baseUrl ?? token.url}${path}`,
        headers: { ...EDITOR_HEADERS, authorization, ...headers },
      },
      ({ status, body, headers: answered }) => {
        const own = explainOpenAi({ status, body, headers: answered });
        return own.code === 'model_not_supported' ? { ...own, kind: 'model' } : own;
      },
    );
  }

  /** The token in use; requests that need a new one at the same time share one exchange. */
  private async current(call: BatchCall, refused?: CopilotToken): Promise<CachedToken> {
    for (;;) {
      call.signal.throwIfAborted();
      if (this.token !== undefined && this.isGood(this.token)) return this.token;
      if (this.exchange === undefined) {
        this.exchange = this.obtain(call, refused).finally(() => {
          this.exchange = undefined;
        });
        return this.exchange;
      }
      // It belongs to another request, with a signal of its own: only its outcome counts.
      await this.exchange.catch(() => undefined);
    }
  }

  private async obtain(call: BatchCall, refused: CopilotToken | undefined): Promise<CachedToken> {
    const { githubToken, apiUrl } = this.options;
    const { stateDir, clock } = this.tools;
    const cached = await readCachedToken(stateDir, this.options);
    // Another process may have exchanged what was refused here.
    if (cached !== undefined && cached.value !== refused?.value && this.isGood(cached)) {
      this.token = cached;
      return cached;
    }
    const token = await exchangeToken(githubToken, apiUrl, clock, call);
    this.token = token;
    writeCachedToken(stateDir, this.options, token);
    return token;
  }

  private isGood({ expiresMs }: CopilotToken): boolean {
    return this.tools.clock.now() < expiresMs;
  }
}
