import type { Warning } from '../../errors/index.js';
import { readForgetList, readForgotten } from '../forget/forget-list.js';
import { hide, undo } from '../forget/hide.js';
import type { StoreOutcome } from '../forget/memory-store.js';
import { planForget } from '../forget/plan-forget.js';
import { openIndex } from '../index/open-index.js';
import type { SearchRequest, SearchResponse } from '../search/types.js';
import type { IndexKeeper, IndexKeeperOptions } from './index-keeper.js';
import type { Forgetting, WorkOptions } from './memory-backend.js';

/** Forgetting in the builtin engine. */
export function createForgetting(
  { target, clock }: IndexKeeperOptions,
  keeper: IndexKeeper,
  search: (request: SearchRequest, work: WorkOptions) => Promise<SearchResponse>,
): Forgetting {
  return {
    plan: (request, work = {}) =>
      keeper.answer(
        work,
        [] as Warning[],
        (index) =>
          planForget(request, {
            index,
            sources: target.sources,
            search: async (query, maxResults) => {
              return (await search({ query, maxResults }, work)).results;
            },
          }),
        { embeds: false },
      ),
    hide: (plan, how, work = {}) => hide(plan, how, { target, clock, signal: work.signal }),
    undo: (id, work = {}) => undo(id, { target, clock, signal: work.signal }),
    forgotten: () => readForgotten(target.forget),
    entries: async () => (await readForgetList(target.forget.listFile))?.entries ?? [],
    store: {
      follow: async (_, work = {}): Promise<StoreOutcome> => {
        // It reads the list itself, as every sync does.
        const { added, changed, removed } = await keeper.sync({ ...work, embeds: false });
        keeper.close();
        const clean = !(await isScrubPending(target.indexFile));
        return { store: 'index', changed: added + changed + removed, clean };
      },
    },
  };
}

async function isScrubPending(indexFile: string): Promise<boolean> {
  const opened = openIndex(indexFile, 'read');
  if (opened.state !== 'ready') return false;
  try {
    return (await opened.index.scrubber()).isRequested();
  } finally {
    opened.index.close();
  }
}
