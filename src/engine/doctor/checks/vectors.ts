import { editJson } from '../../config/authoring.js';
import type { ResolvedAgent } from '../../config/index.js';
import { embeddingStatus } from '../../memory/embedding-status.js';
import { loadVectorExtension, type VectorExtension } from '../../memory/index/index.js';
import type { OpenedMemory } from '../../memory/index.js';
import { withEmptyDatabase } from '../../sqlite/database.js';
import { formatCount, formatCountOf } from '../../support/format.js';
import { uniqueBy } from '../../support/lists.js';
import { shortList } from '../../support/text.js';
import {
  type ConfiguredWorld,
  configuredCheck,
  type Finding,
  type Fix,
  finding,
} from '../check.js';
import { configFix } from './configuration.js';

const EXTENSION_PATH = ['memorySearch', 'store', 'vector', 'extensionPath'] as const;

/** Whether the vector extension loads and every passage has a vector. */
export const vectors = configuredCheck('vectors', async (world) => {
  const agents = world.agents.filter(
    ({ memorySearch }) => memorySearch.enabled && memorySearch.store.vector.enabled,
  );
  const loads = agents.map((agent) => {
    return { agent, extension: load(agent.memorySearch.store.vector) };
  });
  const failures = loads.flatMap(({ agent, extension }) => failed(agent, extension, world) ?? []);
  const findings = [
    // Agents share settings; a problem with them is reported once.
    ...uniqueBy(failures, ({ cause, place }) => JSON.stringify([cause, place])),
    ...(await missing(world)),
  ];
  const [loaded] = loads.flatMap(({ extension }) => (extension.loaded ? [extension] : []));
  const summary = loaded === undefined ? 'compared in process' : `sqlite-vec ${loaded.version}`;
  return { summary, findings, off: agents.length === 0 };
});

function load(settings: ResolvedAgent['memorySearch']['store']['vector']): VectorExtension {
  return withEmptyDatabase((database) => loadVectorExtension(database, settings));
}

function failed(
  agent: ResolvedAgent,
  extension: VectorExtension,
  world: ConfiguredWorld,
): Finding | undefined {
  if (extension.loaded) return undefined;
  const place = world.placeOfAgent(agent.id, EXTENSION_PATH);
  const fix = place === undefined ? undefined : bundledInstead(agent, world);
  return finding('vector-extension', 'warning', {
    message: 'the vector extension cannot be loaded',
    cause: `${extension.why}; vectors are compared in process, with the same results`,
    place,
    hint:
      place === undefined
        ? 'reinstall svc on this machine'
        : 'set another memorySearch.store.vector.extensionPath, or remove it',
    fix,
  });
}

/** Offered only when the bundled extension loads. */
function bundledInstead(agent: ResolvedAgent, world: ConfiguredWorld): Fix | undefined {
  const { reading } = world;
  if (reading.state !== 'usable') return undefined;
  const { extensionPath: _, ...vector } = agent.memorySearch.store.vector;
  const path = world.pathOfAgent(agent.id, EXTENSION_PATH);
  if (path === undefined || !load(vector).loaded) return undefined;
  return configFix(world.context, reading.checked.document, {
    title: 'use the bundled vector extension',
    safe: true,
    edit: (current) => editJson(current, path, undefined),
  });
}

/** Passages without a vector, where a provider is configured. */
async function missing(world: ConfiguredWorld): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const memory of await world.memories()) {
    // With an external program, the built-in engine makes vectors when they are needed.
    if (memory.providers === undefined || memory.ext !== undefined) continue;
    const status = await memory.backend.status();
    if (status.index.state !== 'ready') continue;
    const { coverage, isBeingEmbedded } = embeddingStatus(memory, status);
    const { state, done, all, differences } = coverage;
    if (state === 'whole' || all === 0) continue;
    findings.push(
      finding('vectors-missing', 'warning', {
        message: `no vector for ${formatCount(all - done)} of ${formatCountOf(all, 'passage')} of agent ${memory.agent.id}`,
        cause:
          state === 'other'
            ? `the vectors in the index were made with other settings: ${differences.join(', ')}`
            : 'only keyword search finds them',
        place: { file: status.indexFile },
        hint: isBeingEmbedded
          ? 'being embedded now'
          : `run "svc memory index --agent ${memory.agent.id}"`,
      }),
    );
  }
  return findings;
}

const ENABLED = ['memorySearch', 'multimodal', 'enabled'] as const;
const MODEL = ['memorySearch', 'model'] as const;
const FILES_NAMED = 3;

/** Whether images and audio can be searched by content, where that is on. */
export const media = configuredCheck('media', async (world) => {
  const memories = (await world.memories()).filter(
    ({ agent }) => agent.memorySearch.multimodal.enabled,
  );
  const checked = await Promise.all(memories.map((memory) => checkVectors(memory, world)));
  const files = checked.reduce((sum, one) => sum + one.files, 0);
  const isOff = memories.length === 0;
  const summary = isOff ? 'off' : formatCountOf(files, 'media file');
  const findings = checked.flatMap((one) => one.findings);
  return { summary, findings, off: isOff };
});

async function checkVectors(memory: OpenedMemory, world: ConfiguredWorld) {
  const status = await memory.backend.status();
  const { index } = status;
  const { images, audio } =
    index.state === 'ready' ? index.statistics.media : { images: 0, audio: 0 };
  const { unavailable = null, refused = [] } = embeddingStatus(memory, status).media ?? {};
  const findings: Finding[] = [];
  if (unavailable !== null) {
    const { id } = memory.agent;
    const place = world.placeOfAgent(id, MODEL) ?? world.placeOfAgent(id, ENABLED);
    findings.push(
      finding('media-unavailable', 'warning', {
        message: `images and audio of agent ${memory.name} are searched by name only`,
        cause: unavailable.why,
        place,
        hint: `${unavailable.hint}, or set memorySearch.multimodal.enabled to false`,
      }),
    );
  }
  if (refused.length > 0) {
    const files = refused.map(({ path, why }) => `${path} (${why})`);
    findings.push(
      finding('media-refused', 'note', {
        message: `the provider of agent ${memory.name} rejected ${formatCountOf(refused.length, 'media file')}`,
        cause: shortList(files, FILES_NAMED),
        hint: 'convert them to PNG, JPEG, MP3 or WAV, then run "svc memory index --force"',
      }),
    );
  }
  return { files: images + audio, findings };
}
