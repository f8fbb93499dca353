import { ADAPTER_TRAITS } from '../config/adapters.js';
import type { AdapterId, ResolvedMemorySearch } from '../config/index.js';
import { geminiTakesMedia } from './adapters/gemini-content.js';
import type { ProviderChoice } from './choose-provider.js';
import { shownModel } from './shown-model.js';

/** Why images and recordings get no vectors, and what gives them some. */
export interface MediaObstacle {
  readonly why: string;
  readonly mend: string;
}

const MODEL = 'gemini-embedding-2';
const MEND = `set memorySearch.provider to gemini and memorySearch.model to ${MODEL}`;

/**
 * What keeps the chosen provider from embedding images and recordings, told without opening it;
 * undefined when nothing does.
 *
 * @param choice undefined where nothing embeds at all
 */
export function mediaObstacle(
  choice: ProviderChoice | undefined,
  settings: ResolvedMemorySearch,
): MediaObstacle | undefined {
  if (choice === undefined) return { why: 'there is no embedding provider', mend: MEND };
  const model = shownModel(choice, settings);
  if (choice.adapter === 'gemini' && (model === null || geminiTakesMedia(model))) return undefined;
  return textsAlone(choice.adapter, choice.provider, model);
}

/** The obstacle of a provider that embeds texts alone. */
export function textsAlone(
  adapter: AdapterId,
  provider: string,
  model: string | null,
): MediaObstacle {
  if (!ADAPTER_TRAITS[adapter].multimodal || model === null) {
    return { why: `provider ${provider} embeds texts alone`, mend: MEND };
  }
  return {
    why: `model ${model} embeds texts alone`,
    mend: `set memorySearch.model to ${MODEL}; everything is then embedded anew`,
  };
}
