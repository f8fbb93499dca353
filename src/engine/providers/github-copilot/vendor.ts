import { skipSvcError } from '../../errors/index.js';
import { type DimensionFacts, dimensionsToAsk } from '../dimensions.js';
import {
  type HttpAnswer,
  type HttpRequest,
  parseAnswer,
  sendRequest,
} from '../http/http-client.js';
import { jsonAt, numberAt, textAt } from '../http/status-fault.js';
import { explainOpenAi, openAiText } from '../openai.js';
import { readOpenAiAnswer } from '../openai-shaped.js';
import { settingNames } from '../provider-error.js';
import { broken } from '../read-vectors.js';
import { createPacer, INTERACTIVE } from '../requests/pacer.js';
import type { EmbeddingVendor, ProviderSettings, VendorCall, VendorTools } from '../vendor.js';
import { shownAddress, VendorFault } from '../vendor-fault.js';
import { defaultCopilotUrl, githubHostsIn } from './github-hosts.js';
import { readStoredLogin } from './stored-login.js';
import {
  type CopilotModel,
  type CopilotToken,
  EDITOR_HEADERS,
  exchangeToken,
  readCachedToken,
  type TokenOwner,
  writeCachedToken,
} from './token.js';

/** The maximum in GitHub's own client (microsoft/vscode-copilot-chat). */
const DEFAULT_MAX_INPUTS = 256;
const MAX_TOKENS = 8191;

/** Best first; accounts have different ones. */
const PREFERRED = ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'];

/**
 * The embedding models of a GitHub Copilot plan. If no model is configured, asks Copilot which ones
 * the account has.
 *
 * @throws VendorFault, SvcError USAGE, or the signal's reason
 */
export async function createCopilotVendor(
  provider: DimensionFacts,
  settings: ProviderSettings,
  tools: VendorTools,
  signal: AbortSignal,
): Promise<EmbeddingVendor> {
  const { credential, baseUrl, headers } = settings;
  if (credential === undefined) throw withoutToken(settings);
  const githubToken = credential.value;
  const apiUrl = await githubApiFor(githubToken, tools);
  const session = copilotSession({ githubToken, apiUrl, baseUrl, headers }, tools);
  const pacing = createPacer().pacing(INTERACTIVE);
  const startCall: VendorCall = { signal, timeoutMs: settings.queryTimeoutMs, pacing };
  const model =
    settings.model === undefined
      ? await session.findModel(startCall)
      : { id: settings.model, maxInputs: DEFAULT_MAX_INPUTS };
  const dimensions = dimensionsToAsk(provider, model.id, settings.dimensions);
  return {
    // Not the host in the token, which changes with the plan.
    endpoint: baseUrl ?? defaultCopilotUrl(apiUrl),
    sentTo: session.url,
    model: model.id,
    limits: {
      maxInputs: model.maxInputs,
      maxTokensPerInput: MAX_TOKENS,
      maxTokensPerRequest: Number.POSITIVE_INFINITY,
    },
    documentForm: '',
    embed: async ({ inputs, ...call }) => {
      const json = { model: model.id, input: inputs.map(openAiText), dimensions };
      return readOpenAiAnswer(
        await session.send({ ...call, method: 'POST', path: '/embeddings', json }),
      );
    },
  };
}

/** A stored login belongs to its own GitHub, whatever is in the environment. */
async function githubApiFor(githubToken: string, { stateDir, env }: VendorTools): Promise<string> {
  // An unreadable login is not where this token came from.
  const login = await readStoredLogin(stateDir).catch(skipSvcError);
  return login?.token === githubToken ? login.apiUrl : githubHostsIn(env).apiUrl;
}

/** Reads `{data: [{id, capabilities: {type, limits: {max_inputs}}}]}`. @throws VendorFault */
function chooseModel(body: unknown): CopilotModel {
  const data = jsonAt(body, 'data');
  if (!Array.isArray(data)) throw broken('it has no list of models');
  const models = data.flatMap((item: unknown) => {
    const id = textAt(item, 'id');
    if (id === undefined || jsonAt(item, 'capabilities', 'type') !== 'embeddings') return [];
    const most = numberAt(item, 'capabilities', 'limits', 'max_inputs') ?? 0;
    return [{ id, maxInputs: most >= 1 ? most : DEFAULT_MAX_INPUTS }];
  });
  const preferred = PREFERRED.map((id) => models.find((model) => model.id === id));
  const chosen = preferred.find((model) => model !== undefined) ?? models[0];
  if (chosen !== undefined) return chosen;
  throw new VendorFault('model', 'the Copilot plan of this account has no embedding model', {
    hint: 'choose another provider: "svc provider list"',
  });
}

function withoutToken(settings: ProviderSettings): VendorFault {
  const { baseUrl } = settings;
  const hint =
    baseUrl === undefined
      ? 'run "svc provider login github-copilot", or set COPILOT_GITHUB_TOKEN'
      : `a login and tokens in variables are only sent to GitHub; to send a token to ${shownAddress(baseUrl)}, set ${settingNames(settings).apiKey}`;
  return new VendorFault('auth', 'no GitHub token found', { hint });
}

/** A request to Copilot's API, before address and token are added. */
interface CopilotCall extends VendorCall, Pick<HttpRequest, 'json' | 'method'> {
  /** With a leading slash. */
  readonly path: string;
}

interface CopilotSessionOptions extends TokenOwner {
  /** Replaces the API address in the token. */
  readonly baseUrl: string | undefined;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests to Copilot's API with a valid token, which is cached on disk and renewed when it expires
 * or is refused.
 */
function copilotSession(
  { baseUrl, headers, ...owner }: CopilotSessionOptions,
  { stateDir, clock }: VendorTools,
) {
  let token: CopilotToken | undefined;
  let exchange: Promise<CopilotToken> | undefined;
  const isGood = ({ expiresMs }: CopilotToken): boolean => clock.now() < expiresMs;
  const obtain = async (call: VendorCall, refused?: CopilotToken): Promise<CopilotToken> => {
    const cached = await readCachedToken(stateDir, owner);
    // Another process may have renewed it.
    if (cached !== undefined && cached.value !== refused?.value && isGood(cached)) {
      token = cached;
      return cached;
    }
    token = await exchangeToken(owner.githubToken, owner.apiUrl, clock, call);
    writeCachedToken(stateDir, owner, token);
    return token;
  };
  /** The current token; concurrent requests share one exchange. */
  const current = async (call: VendorCall, refused?: CopilotToken): Promise<CopilotToken> => {
    for (;;) {
      call.signal.throwIfAborted();
      if (token !== undefined && isGood(token)) return token;
      if (exchange === undefined) {
        exchange = obtain(call, refused).finally(() => {
          exchange = undefined;
        });
        return exchange;
      }
      // That exchange has its own signal: only its result matters.
      await exchange.catch(() => undefined);
    }
  };
  const sendWith = (used: CopilotToken, { path, ...call }: CopilotCall): Promise<HttpAnswer> =>
    sendRequest(
      {
        ...call,
        url: `${baseUrl ?? used.url}${path}`,
        headers: { ...EDITOR_HEADERS, authorization: `Bearer ${used.value}`, ...headers },
      },
      (answer) => {
        const explained = explainOpenAi(answer);
        return explained.code === 'model_not_supported'
          ? { ...explained, kind: 'model' }
          : explained;
      },
    );
  /** Sends a request; if its token is refused, retries once with a new one. @throws VendorFault, or the signal's reason */
  const send = async (call: CopilotCall): Promise<HttpAnswer> => {
    const used = await current(call);
    try {
      return await sendWith(used, call);
    } catch (error) {
      if (!(error instanceof VendorFault) || error.details.status !== 401) throw error;
      // Another request may have renewed it already.
      if (token === used) token = undefined;
      return sendWith(await current(call, used), call);
    }
  };
  return {
    send,
    /** Base URL of requests; undefined before a token names it. */
    url: (): string | undefined => baseUrl ?? token?.url,
    /** The embedding model of the account, cached with the token. @throws VendorFault */
    findModel: async (call: VendorCall): Promise<CopilotModel> => {
      const { model: known } = await current(call);
      if (known !== undefined) return known;
      const answer = await send({ ...call, method: 'GET', path: '/models' });
      const model = chooseModel(parseAnswer(answer));
      if (token !== undefined) {
        token = { ...token, model };
        writeCachedToken(stateDir, owner, token);
      }
      return model;
    },
  };
}
