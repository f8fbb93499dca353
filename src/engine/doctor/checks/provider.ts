import type { SecretInput } from '../../config/index.js';
import type { CheckOutcome, Diagnosis } from '../../embeddings/output-schemas.js';
import { SvcError } from '../../errors/index.js';
import { diagnoseMemory } from '../../memory/diagnose-memory.js';
import type { OpenedMemory } from '../../memory/index.js';
import { groupBy } from '../../support/lists.js';
import { type ConfiguredWorld, configuredCheck, type Finding, finding } from '../check.js';
import { resolveConfigured } from './secrets.js';

/** Whether a query can be embedded; a test query is really sent. */
export const provider = configuredCheck('provider', async (world) => {
  // The check `backend` covers external programs.
  const memories = (await world.memories()).filter(({ ext }) => ext === undefined);
  const groups = groupBySettings(memories);
  const asked = groups.filter(([memory]) => memory?.providers !== undefined);
  const looks = await Promise.all(
    asked.map(async (group) => {
      const [memory] = group;
      if (memory === undefined) return undefined;
      // Vendors quote the key they refuse.
      await resolveConfigured(keysOf(memory), world);
      const work = { signal: world.signal, onEvent: () => undefined };
      return { memories: group, diagnosis: await diagnoseMemory(memory, work) };
    }),
  );
  const done = looks.filter((look) => look !== undefined);
  const names = done.map(({ diagnosis }) => diagnosis.provider ?? '');
  return {
    summary: names.length === 0 ? 'none, keyword search only' : names.join(', '),
    findings: done.flatMap(({ memories, diagnosis }) => findingsOf(memories, diagnosis)),
  };
});

/** Agents with the same provider settings are tested once: a test may cost money. */
function groupBySettings(memories: readonly OpenedMemory[]): readonly (readonly OpenedMemory[])[] {
  const groups = groupBy(memories, ({ agent }) => {
    const {
      provider: name,
      fallback,
      model,
      remote,
      local,
      outputDimensionality,
    } = agent.memorySearch;
    return JSON.stringify([name, fallback, model, remote, local, outputDimensionality]);
  });
  return [...groups.values()];
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
    message: `provider ${name ?? text} of agent ${agents}: ${WORDS[check] ?? check}`,
    cause: cause && `${text}: ${cause}`,
    place: location,
    hint: hint ?? 'svc provider test shows every step',
  });
}

const WORDS: Readonly<Partial<Record<Checked['check'], string>>> = {
  selected: 'it cannot be used',
  key: 'its key is unavailable',
  endpoint: 'its address is not valid',
  embed: 'it does not embed',
  batch: 'it has no batch API',
  fallback: 'its fallback does not embed',
  vectors: 'its vectors do not fit',
};

function codeOf({ check, code }: CheckOutcome & { readonly check: string }): string {
  return code === undefined ? `provider-${check}` : code.toLowerCase().replaceAll('_', '-');
}

/** Whether the external search program answers a test query, where it is configured. */
export const backend = configuredCheck('backend', async (world) => {
  const looks = (await world.memories()).flatMap((memory) =>
    memory.ext === undefined ? [] : [{ memory, ext: memory.ext }],
  );
  const work = { signal: world.signal, onEvent: () => undefined };
  const diagnoses = await Promise.all(
    looks.map(async ({ memory, ext }) => ({ memory, diagnosis: await ext.diagnose(work) })),
  );
  const releases = diagnoses.flatMap(({ diagnosis }) =>
    diagnosis.checks.flatMap(({ check, state, text }) =>
      check === 'release' && state === 'ok' ? [text] : [],
    ),
  );
  return {
    summary: looks.length === 0 ? 'builtin' : `external ${[...new Set(releases)].join(', ')}`,
    findings: diagnoses.flatMap(({ memory, diagnosis }) =>
      backendFindings(memory, diagnosis, world),
    ),
  };
});

function backendFindings(
  { agent }: OpenedMemory,
  { checks }: Diagnosis,
  world: ConfiguredWorld,
): readonly Finding[] {
  const place = world.placeOf(['memory', 'ext', 'command']) ?? world.placeOf(['memory', 'backend']);
  return checks
    .filter(({ state }) => state === 'failed' || state === 'warning')
    .map(({ check, text, cause, hint }) =>
      // The builtin engine answers instead.
      finding(`backend-${check}`, 'warning', {
        message: `the external search program of agent ${agent.id}: ${BACKEND_WORDS[check] ?? check}`,
        cause: cause && `${text}: ${cause}`,
        place,
        hint: hint ?? `svc memory status --deep --agent ${agent.id} shows every step`,
      }),
    );
}

const BACKEND_WORDS: Readonly<Partial<Record<Diagnosis['checks'][number]['check'], string>>> = {
  program: 'it cannot be run',
  release: 'its version cannot be read',
  collections: 'some collections are missing',
  question: 'it does not answer',
  vectors: 'some documents have no vector',
};

/** Whether the reranker answers; two texts are really sent. */
export const reranker = configuredCheck('reranker', async (world) => {
  const groups = groupByReranker(await world.memories());
  const looks = await Promise.all(groups.map((memories) => lookAtReranker(memories, world)));
  const names = [...new Set(looks.map(({ name }) => name))];
  return {
    summary: names.length === 0 ? 'none' : names.join(', '),
    findings: looks.flatMap(({ findings }) => findings),
    off: names.length === 0,
  };
});

/** Agents with the same reranker are tested once: a test may cost money. External programs do not use it. */
function groupByReranker(memories: readonly OpenedMemory[]): readonly (readonly OpenedMemory[])[] {
  const using = memories.filter(({ reranking, ext }) => reranking !== undefined && !ext);
  const groups = groupBy(using, ({ agent }) => {
    const { provider, model, remote } = agent.memorySearch.query.rerank;
    return JSON.stringify([provider, model, remote]);
  });
  return [...groups.values()];
}

async function lookAtReranker(
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
