import { type ConfigPath, valueAt } from '../../config/config-path.js';
import { editConfigText } from '../../config/edit/edit-text.js';
import type { ResolvedAgent } from '../../config/index.js';
import { embeddingStatus } from '../../memory/embedding/embedding-status.js';
import { loadVectorExtension, type VectorExtension } from '../../memory/index/vectors/extension.js';
import { openDatabaseBytes } from '../../sqlite/database.js';
import type { DoctorCheck } from '../check.js';
import type { Finding, Mend } from '../finding.js';
import { configMend } from '../mends/edit-config.js';
import type { ConfiguredWorld } from '../world.js';

const EXTENSION_PATH = ['memorySearch', 'store', 'vector', 'extensionPath'] as const;

/** Whether the vector extension loads, and every passage has its vector. */
export const vectors: DoctorCheck = {
  name: 'vectors',
  needs: 'configuration',
  run: async (world) => {
    const wanted = world.agents.filter(
      ({ memorySearch }) => memorySearch.enabled && memorySearch.store.vector.enabled,
    );
    const loads = wanted.map((agent) => ({ agent, extension: load(agent) }));
    const findings = [
      ...distinct(loads.flatMap(({ agent, extension }) => failed(agent, extension, world))),
      ...(await missing(world)),
    ];
    const [loaded] = loads.flatMap(({ extension }) => (extension.loaded ? [extension] : []));
    const summary = loaded === undefined ? 'compared in process' : `sqlite-vec ${loaded.version}`;
    return { summary, findings, off: wanted.length === 0 };
  },
};

function load({ memorySearch }: Pick<ResolvedAgent, 'memorySearch'>): VectorExtension {
  const database = openDatabaseBytes(Buffer.alloc(0));
  try {
    return loadVectorExtension(database, memorySearch.store.vector);
  } finally {
    database.close();
  }
}

function failed(
  agent: ResolvedAgent,
  extension: VectorExtension,
  world: ConfiguredWorld,
): readonly Finding[] {
  if (extension.loaded) return [];
  const place = world.placeOfAgent(agent.id, EXTENSION_PATH);
  const mend = place === undefined ? undefined : bundledInstead(agent, world);
  return [
    {
      code: 'vector-extension',
      severity: 'warning',
      message: 'the vector extension cannot be loaded',
      cause: `${extension.why}; vectors are compared in process, with the same results`,
      ...(place === undefined ? {} : { place }),
      hint:
        place === undefined
          ? 'install svc anew on this machine'
          : 'name another file in memorySearch.store.vector.extensionPath, or none',
      ...(mend === undefined ? {} : { mend }),
    },
  ];
}

/** Offered only when the one that comes with svc does load. */
function bundledInstead(agent: ResolvedAgent, world: ConfiguredWorld): Mend | undefined {
  const { reading } = world;
  if (reading.state !== 'usable') return undefined;
  const { extensionPath: _, ...vector } = agent.memorySearch.store.vector;
  const { memorySearch } = agent;
  const bundled = load({
    memorySearch: { ...memorySearch, store: { ...memorySearch.store, vector } },
  });
  const path = writtenAt(agent, world);
  if (!bundled.loaded || path === undefined) return undefined;
  const { file, text } = reading.checked.document;
  return configMend({
    title: 'use the vector extension that comes with svc',
    safe: true,
    file,
    before: text,
    edit: (current) => editConfigText(current, path, undefined),
  });
}

function writtenAt(
  agent: ResolvedAgent,
  { agents, loaded }: ConfiguredWorld,
): ConfigPath | undefined {
  const at = agents.indexOf(agent);
  const places: readonly ConfigPath[] = [
    ['agents', 'list', at, ...EXTENSION_PATH],
    ['agents', 'defaults', ...EXTENSION_PATH],
  ];
  return places.find((path) => valueAt(loaded.input, path) !== undefined);
}

/** A provider is chosen, and some passages are found by their words alone. */
async function missing(world: ConfiguredWorld): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const memory of await world.memories()) {
    // Beside an external program the builtin engine's vectors wait until they are needed.
    if (memory.providers === undefined || memory.ext !== undefined) continue;
    const status = await memory.backend.status();
    if (status.index.state !== 'ready') continue;
    const { state, done, all, differences } = embeddingStatus(memory, status).coverage;
    if (state === 'whole' || all === 0) continue;
    findings.push({
      code: 'vectors-missing',
      severity: 'warning',
      message: `${all - done} of ${all} passages of agent ${memory.agent.id} have no vector`,
      cause:
        state === 'other'
          ? `those in the index are of another identity: ${differences.join(', ')}`
          : 'they are found by their words alone',
      place: { file: status.indexFile },
      hint: `svc memory index --agent ${memory.agent.id}`,
    });
  }
  return findings;
}

/** Agents share settings, and what is wrong with them is said once. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ cause, place }) => {
    const key = JSON.stringify([cause, place]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
