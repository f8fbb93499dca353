import { SvcError } from '../../errors/index.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt } from '../http/status-fault.js';
import { defaultCopilotUrl, githubHostsIn } from '../login/github-hosts.js';
import { readStoredLogin } from '../login/stored-login.js';
import type { CopilotModel } from '../login/token-cache.js';
import type { ProviderSettings } from '../provider-settings.js';
import { broken } from '../read-vectors.js';
import { plainText } from '../requests/input-text.js';
import { INTERACTIVE, Pacer } from '../requests/pacer.js';
import type { BatchCall, EmbeddingVendor, VendorTools } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { CopilotSession } from './copilot-session.js';
import { readOpenAiAnswer } from './openai-shape.js';

/** What GitHub's own client sends at most when Copilot does not say (microsoft/vscode-copilot-chat). */
const DEFAULT_MAX_INPUTS = 256;
const MAX_TOKENS = 8191;

/** Best first; an account may have any of them. */
const PREFERRED = ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'];

/**
 * The embedding models of a GitHub Copilot plan. Without a configured model Copilot is asked which
 * ones the account has.
 *
 * @throws VendorFault, SvcError USAGE, or the signal's reason
 */
export async function createCopilotVendor(
  settings: ProviderSettings,
  tools: VendorTools,
  signal: AbortSignal,
): Promise<EmbeddingVendor> {
  const { credential, baseUrl, headers, dimensions } = settings;
  if (credential === undefined) throw withoutToken();
  const githubToken = credential.value;
  const apiUrl = await githubApiFor(githubToken, tools);
  const session = new CopilotSession({ githubToken, apiUrl, baseUrl, headers }, tools);
  const pacer = new Pacer(
    () => performance.now(),
    () => 0.5,
  );
  const pacing = pacer.pacing(INTERACTIVE, () => undefined);
  const asked: BatchCall = { signal, timeoutMs: settings.queryTimeoutMs, pacing };
  const model =
    settings.model === undefined
      ? await discoverModel(session, asked)
      : { id: settings.model, maxInputs: DEFAULT_MAX_INPUTS };
  return {
    adapter: 'github-copilot',
    // Not the host that the token names: it changes with the plan, and the vectors do not.
    endpoint: baseUrl ?? defaultCopilotUrl(apiUrl),
    model: model.id,
    limits: {
      maxInputs: model.maxInputs,
      maxTokensPerInput: MAX_TOKENS,
      maxTokensPerRequest: Number.POSITIVE_INFINITY,
    },
    documentForm: '',
    embed: async ({ inputs, signal: aborted, timeoutMs, pacing: paced }) => {
      const size = dimensions === undefined ? {} : { dimensions };
      const answer = await session.send({
        method: 'POST',
        path: '/embeddings',
        json: { model: model.id, input: inputs.map(plainText), ...size },
        signal: aborted,
        timeoutMs,
        pacing: paced,
      });
      return readOpenAiAnswer(answer, inputs.length);
    },
  };
}

/** A stored login belongs to the GitHub it was made at, whatever the environment says today. */
async function githubApiFor(githubToken: string, { stateDir, env }: VendorTools): Promise<string> {
  const login = await readStoredLogin(stateDir).catch((error: unknown) => {
    // A login that cannot be read is not where this token came from.
    if (error instanceof SvcError) return undefined;
    throw error;
  });
  return login?.token === githubToken ? login.apiUrl : githubHostsIn(env).apiUrl;
}

async function discoverModel(session: CopilotSession, call: BatchCall): Promise<CopilotModel> {
  const known = await session.knownModel(call);
  if (known !== undefined) return known;
  const found = chooseModel(
    parseAnswer(await session.send({ ...call, method: 'GET', path: '/models' })),
  );
  session.keepModel(found);
  return found;
}

/** Reads `{data: [{id, capabilities: {type, limits: {max_inputs}}}]}`. @throws VendorFault */
function chooseModel(body: unknown): CopilotModel {
  const data = jsonAt(body, 'data');
  if (!Array.isArray(data)) throw broken('it has no list of models');
  const models = data.flatMap((item: unknown) => {
    const id = jsonAt(item, 'id');
    if (typeof id !== 'string' || jsonAt(item, 'capabilities', 'type') !== 'embeddings') return [];
    const most = jsonAt(item, 'capabilities', 'limits', 'max_inputs');
    const maxInputs = typeof most === 'number' && most >= 1 ? most : DEFAULT_MAX_INPUTS;
    return [{ id, maxInputs }];
  });
  const preferred = PREFERRED.map((id) => models.find((model) => model.id === id));
  const chosen = preferred.find((model) => model !== undefined) ?? models[0];
  if (chosen !== undefined) return chosen;
  throw new VendorFault({
    kind: 'model',
    message: 'the Copilot plan of this account has no embedding model',
    hint: 'choose another provider: svc provider list',
  });
}

function withoutToken(): VendorFault {
  return new VendorFault({
    kind: 'auth',
    message: 'there is no GitHub token',
    hint: 'svc provider login github-copilot, or set COPILOT_GITHUB_TOKEN',
  });
}
