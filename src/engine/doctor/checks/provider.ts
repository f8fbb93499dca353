import {
  type ConfigPath,
  formatPath,
  type ResolvedAgent,
  type SecretInput,
} from '../../config/index.js';
import { providerWorld } from '../../embeddings/index.js';
import type { Diagnosis } from '../../embeddings/output-schemas.js';
import { SvcError } from '../../errors/index.js';
import { diagnoseMemory } from '../../memory/diagnose-memory.js';
import type { OpenedMemory } from '../../memory/index.js';
import { groupBy } from '../../support/lists.js';
import { type ConfiguredWorld, configuredCheck, type Finding, finding } from '../check.js';
import { resolveConfigured } from './secrets.js';

/** Whether a query can be embedded; a test query is really sent. */
export const provider = configuredCheck('provider', async (world) => {
  const memories = await world.memories();
  // The check `backend` covers external programs.
  const embeddingMemories = memories.filter(({ ext, providers }) => !ext && providers);
  // Agents with the same settings are tested once: a test may cost money.
  const groups = groupBy(embeddingMemories, ({ agent }) => {
    const { provider, fallback, model, remote, local, outputDimensionality } = agent.memorySearch;
    const { inputType, queryInputType, multimodal, query } = agent.memorySearch;
    return JSON.stringify([
      ...[provider, fallback, model, remote, local, outputDimensionality],
      ...[inputType, queryInputType, multimodal.enabled, query.timeoutSeconds],
    ]);
  });
  const diagnoses = await Promise.all(
    [...groups.values()].map(async (tested) => {
      const [memory] = tested;
      // Vendors quote the key they refuse.
      await resolveConfigured(keysOf(memory), world);
      const options = { signal: world.signal, onEvent: () => undefined };
      return { tested, diagnosis: await diagnoseMemory(memory, options) };
    }),
  );
  const names = [...new Set(diagnoses.map(({ diagnosis }) => diagnosis.provider ?? ''))];
  return {
    summary: names.length === 0 ? 'none, keyword search only' : names.join(', '),
    findings: [
      ...memories.flatMap((memory) => unusedModelFindings(memory, world)),
      ...diagnoses.flatMap(({ tested, diagnosis }) => findingsOf(tested, diagnosis)),
      ...(await modelFindings(world)),
    ],
  };
});

/** A local model that is configured and not used: texts may leave this machine. */
function unusedModelFindings(
  { agent, name, warnings }: OpenedMemory,
  world: ConfiguredWorld,
): readonly Finding[] {
  return warnings
    .filter(({ code }) => code === 'LOCAL_MODEL_UNUSED')
    .map(({ message, hint }) =>
      finding('local-model-unused', 'warning', {
        message: `agent ${name}: ${message}`,
        place: world.placeOfAgent(agent.id, ['memorySearch', 'local', 'modelPath']),
        hint,
      }),
    );
}

function keysOf({ providers, agent }: OpenedMemory): readonly { readonly input: SecretInput }[] {
  const choices = [providers?.primary.choice, providers?.fallback?.choice];
  const headers = [
    agent.memorySearch.remote.headers,
    ...choices.map((choice) => choice?.entry?.headers),
  ];
  return [
    ...choices.flatMap((choice) =>
      choice?.credential.state === 'found' ? [{ input: choice.credential.input }] : [],
    ),
    ...headers.flatMap((some) => Object.values(some ?? {}).map((input) => ({ input }))),
  ];
}

type Checked = Diagnosis['checks'][number];

function findingsOf(memories: readonly OpenedMemory[], diagnosis: Diagnosis): readonly Finding[] {
  const agents = memories.map((memory) => memory.name).join(', ');
  // The check `vectors` covers the index.
  return diagnosis.checks
    .filter(
      ({ check, state }) => check !== 'vectors' && (state === 'failed' || state === 'warning'),
    )
    .map((checked) => findingOf(checked, agents, diagnosis));
}

function findingOf(checked: Checked, agents: string, { ok, provider: name }: Diagnosis): Finding {
  const { check, text, cause, hint, location, state } = checked;
  // While the fallback works, queries are embedded.
  const isFault = state === 'failed' && !ok && check !== 'fallback';
  return finding(codeOf(checked), isFault ? 'fault' : 'warning', {
    message: `provider ${name ?? text} of agent ${agents}: ${wordsOf(checked)}`,
    cause: cause && `${text}: ${cause}`,
    place: location,
    hint: hint ?? '"svc provider test" shows every step',
  });
}

function wordsOf({ check, code }: Checked): string {
  // A key that is not there, or cannot be read, has a code.
  if (check === 'key' && code === undefined) return 'its key is in quotes';
  return WORDS[check] ?? check;
}

const WORDS: Readonly<Partial<Record<Checked['check'], string>>> = {
  selected: 'it cannot be used',
  key: 'its key is unavailable',
  endpoint: 'its address cannot be reached',
  embed: 'it does not embed',
  batch: 'it has no batch API',
  fallback: 'its fallback does not embed',
  vectors: 'its vectors do not fit',
};

function codeOf({ check, code }: Checked): string {
  return code === undefined ? `provider-${check}` : code.toLowerCase().replaceAll('_', '-');
}

/** Whether the external search program answers a test query, where it is configured. */
export const backend = configuredCheck('backend', async (world) => {
  const options = { signal: world.signal, onEvent: () => undefined };
  const diagnoses = await Promise.all(
    (await world.memories()).flatMap(({ agent, ext }) =>
      ext === undefined ? [] : [ext.diagnose(options).then(({ checks }) => ({ agent, checks }))],
    ),
  );
  const releases = diagnoses
    .flatMap(({ checks }) => checks)
    .filter(({ check, state }) => check === 'release' && state === 'ok')
    .map(({ text }) => text);
  return {
    summary: diagnoses.length === 0 ? 'builtin' : `external ${[...new Set(releases)].join(', ')}`,
    findings: diagnoses.flatMap(({ agent, checks }) => backendFindings(agent, checks, world)),
  };
});

function backendFindings(
  agent: ResolvedAgent,
  checks: Diagnosis['checks'],
  world: ConfiguredWorld,
): readonly Finding[] {
  const place = world.placeOf(['memory', 'ext', 'command']) ?? world.placeOf(['memory', 'backend']);
  return checks
    .filter(({ state }) => state === 'failed' || state === 'warning')
    .map(({ check, text, cause, hint }) =>
      // The built-in engine answers instead.
      finding(`backend-${check}`, 'warning', {
        message: `the external search program of agent ${agent.id}: ${BACKEND_WORDS[check] ?? check}`,
        cause: cause && `${text}: ${cause}`,
        place,
        hint: hint ?? `"svc memory status --deep --agent ${agent.id}" shows every step`,
      }),
    );
}

const BACKEND_WORDS: Readonly<Partial<Record<Checked['check'], string>>> = {
  program: 'it cannot be run',
  release: 'its version cannot be read',
  collections: 'some collections are missing',
  question: 'it does not answer',
  vectors: 'some documents have no vector',
};

/** Whether the reranker answers; two texts are really sent. */
export const reranker = configuredCheck('reranker', async (world) => {
  // External programs do not use it.
  const reranked = (await world.memories()).filter(({ ext, reranking }) => !ext && reranking);
  const groups = groupBy(reranked, ({ agent }) => {
    const { provider, model, remote, timeoutMs } = agent.memorySearch.query.rerank;
    const { modelCacheDir, contextSize } = agent.memorySearch.local;
    return JSON.stringify([provider, model, remote, timeoutMs, modelCacheDir, contextSize]);
  });
  const diagnoses = await Promise.all(
    [...groups.values()].map((memories) => checkReranker(memories, world)),
  );
  const names = [...new Set(diagnoses.map(({ name }) => name))];
  return {
    summary: names.length === 0 ? 'none' : names.join(', '),
    findings: diagnoses.flatMap(({ findings }) => findings),
    off: names.length === 0,
  };
});

async function checkReranker(
  memories: readonly [OpenedMemory, ...OpenedMemory[]],
  { signal, placeOfAgent }: ConfiguredWorld,
): Promise<{ readonly name: string; readonly findings: readonly Finding[] }> {
  const [memory] = memories;
  const tested = await memory.reranking?.load();
  if (tested === undefined) return { name: '', findings: [] };
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
      hint: error.hint ?? '"svc memory status --deep" shows every step',
    });
    return { name: tested.name, findings: [failure] };
  }
}

/** Chat models that are configured and cannot be used: rules decide instead, which nobody notices. Nothing is sent. */
function modelFindings(world: ConfiguredWorld): Promise<readonly (Finding | undefined)[]> {
  const { memory, plugins } = world.loaded.resolved;
  const { enabled, config } = plugins.entries['active-memory'];
  const recalls = enabled && config.enabled;
  const recallKey = config.model === undefined ? 'modelFallback' : 'model';
  const uses = [
    { purpose: 'captures', model: memory.captureModel, path: ['memory', 'captureModel'] },
    {
      purpose: 'active memory',
      model: recalls ? config[recallKey] : undefined,
      path: ['plugins', 'entries', 'active-memory', 'config', recallKey],
    },
  ].flatMap(({ model, ...use }) => (model === undefined ? [] : [{ ...use, model }]));
  return Promise.all(uses.map((use) => modelFinding(use, world)));
}

async function modelFinding(
  {
    purpose,
    model,
    path,
  }: { readonly purpose: string; readonly model: string; readonly path: ConfigPath },
  { loaded, context, signal, placeOf }: ConfiguredWorld,
): Promise<Finding | undefined> {
  const { chooseChatModel, openChatModel } = await import('../../chat/index.js');
  const world = providerWorld(loaded, context);
  try {
    await openChatModel(chooseChatModel(model, world), world, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SvcError)) throw error;
    return finding('model-unusable', 'warning', {
      message: `${purpose}: rules are used instead of the model ${model}`,
      cause: error.message,
      place: placeOf(path),
      hint: error.hint ?? `run "svc config unset ${formatPath(path)}"`,
    });
  }
}
