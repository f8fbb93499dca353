import { SvcError } from '../../errors/index.js';
import type { OpenedMemory } from '../../memory/index.js';
import { groupBy } from '../../support/lists.js';
import { type DoctorCheck, type Finding, finding } from '../check.js';
import type { ConfiguredWorld } from '../world.js';

/** Whether the reranker answers; two texts are really sent. */
export const reranker: DoctorCheck = {
  name: 'reranker',
  needs: 'configuration',
  run: async (world) => {
    const groups = groupBySettings(await world.memories());
    const looks = await Promise.all(groups.map((memories) => look(memories, world)));
    const names = [...new Set(looks.map(({ name }) => name))];
    return {
      summary: names.length === 0 ? 'none' : names.join(', '),
      findings: looks.flatMap(({ findings }) => findings),
      off: names.length === 0,
    };
  },
};

/** Agents with the same reranker are tested once: a test may cost money. External programs do not use it. */
function groupBySettings(memories: readonly OpenedMemory[]): readonly (readonly OpenedMemory[])[] {
  const using = memories.filter(({ reranking, ext }) => reranking !== undefined && !ext);
  const groups = groupBy(using, ({ agent }) => {
    const { provider, model, remote } = agent.memorySearch.query.rerank;
    return JSON.stringify([provider, model, remote]);
  });
  return [...groups.values()];
}

async function look(
  memories: readonly OpenedMemory[],
  { signal, placeOfAgent }: ConfiguredWorld,
): Promise<{ readonly name: string; readonly findings: readonly Finding[] }> {
  const [memory] = memories;
  const tested = await memory?.reranking?.load();
  if (memory === undefined || tested === undefined) return { name: '', findings: [] };
  try {
    await tested.probe(signal);
    return { name: tested.name, findings: [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    const agents = memories.map(({ name }) => name).join(', ');
    // Searches work without it.
    const failure = finding(error.code.toLowerCase().replaceAll('_', '-'), 'warning', {
      message: `the reranker of agent ${agents} does not work, so results keep the order without it`,
      cause: error.message,
      place: placeOfAgent(memory.agent.id, ['memorySearch', 'query', 'rerank', 'provider']),
      hint: error.hint ?? 'svc memory status --deep shows every step',
    });
    return { name: tested.name, findings: [failure] };
  }
}
