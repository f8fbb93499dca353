import type { ResolvedMemorySearch } from '../config/index.js';
import type { ProviderWorld } from '../embeddings/index.js';
import { type Access, readAccess } from '../embeddings/open-provider.js';
import { runtimesDir } from '../providers/local/runtime/store.js';
import { PROVIDERS } from '../providers/registry.js';
import { voyageEndpoint } from '../providers/voyage.js';
import { createHttpReranker } from './adapters/http.js';
import type { RerankerChoice } from './choose-reranker.js';
import type { Reranker } from './reranker.js';

export interface OpenRerankerOptions {
  readonly settings: Pick<ResolvedMemorySearch, 'local'>;
  readonly world: ProviderWorld;
}

/**
 * Creates the adapter of a chosen reranker: reads its key, loads its code. A configuration without a model or an address
 * that it needs is not valid.
 *
 * @throws VendorFault, SvcError PROVIDER_*, SECRET_UNRESOLVED, or the signal's reason
 */
export async function openReranker(
  choice: RerankerChoice,
  { settings, world }: OpenRerankerOptions,
  signal: AbortSignal,
): Promise<Reranker> {
  const { provider, model, timeoutMs } = choice;
  if (provider === 'chat') {
    const { chooseChatModel, openChatModel } = await import('../chat/index.js');
    const { createChatReranker } = await import('./adapters/chat.js');
    const chosen = chooseChatModel(model ?? '', world);
    return createChatReranker(await openChatModel(chosen, world, signal));
  }
  if (provider === 'local') {
    const { openLocalReranker } = await import('./adapters/local.js');
    const local = { ...settings.local, modelPath: model ?? '' };
    return openLocalReranker(local, runtimesDir(world.stateDir), signal);
  }
  const { credential, headers } = await readAccess(choice, world, signal);
  const baseUrl = addressOf(choice, credential) ?? '';
  return createHttpReranker({ provider, model, baseUrl, credential, headers, timeoutMs });
}

/** Voyage has another address for keys of MongoDB Atlas. */
function addressOf({ provider, baseUrl }: RerankerChoice, credential: Access['credential']) {
  const isUsual = provider === 'voyage' && baseUrl === PROVIDERS.voyage.endpoint;
  return isUsual ? voyageEndpoint(credential) : baseUrl;
}
