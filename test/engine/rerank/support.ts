import { join } from 'node:path';
import { resolveConfig } from '../../../src/engine/config/index.js';
import type { ConfigInput } from '../../../src/engine/config/schema/index.js';
import { createReranking } from '../../../src/engine/rerank/index.js';
import type { PassageReranker } from '../../../src/engine/rerank/rerank-passages.js';
import type { Clock } from '../../../src/engine/support/context.js';
import { tempFolder } from '../../support/temp-folder.js';

/** Surroundings of a reranker under test. */
export interface RerankScene {
  readonly env?: Readonly<Record<string, string>>;
  readonly models?: ConfigInput['models'];
  readonly secrets?: ConfigInput['secrets'];
  readonly clock?: Clock;
  readonly cacheFile?: string;
  readonly stateDir?: string;
}

type RerankInput = NonNullable<
  NonNullable<NonNullable<NonNullable<ConfigInput['agents']>['defaults']>['memorySearch']>['query']
>['rerank'];

/** The reranker of a configuration with these settings of `query.rerank`; close it. */
export async function rerankerOf(
  rerank: RerankInput,
  scene: RerankScene = {},
): Promise<PassageReranker> {
  const { env = {}, models = {}, secrets = {}, clock = Date, stateDir = '/nonexistent' } = scene;
  const config = resolveConfig({
    agents: { defaults: { memorySearch: { query: { rerank } } } },
    models,
    secrets,
  });
  const { memorySearch } = config.agents.defaults;
  const settings = {
    query: memorySearch.query,
    local: { ...memorySearch.local, modelCacheDir: join(stateDir, 'models') },
  };
  const world = { config, env, homeDir: '/nonexistent', stateDir };
  const cacheFile = scene.cacheFile ?? join(tempFolder().path, 'rerank.sqlite');
  const reranking = createReranking({ settings, world, clock, cacheFile });
  if (reranking === undefined) throw new Error('reranking is off');
  return reranking.load();
}
