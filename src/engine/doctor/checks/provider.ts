import type { SecretInput } from '../../config/index.js';
import type { CheckOutcome, Diagnosis } from '../../embeddings/diagnosis/index.js';
import { diagnoseMemory } from '../../memory/diagnosis/diagnose-memory.js';
import type { OpenedMemory } from '../../memory/open-memory.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import { resolveConfigured } from '../secrets-in-config.js';

/** The way from a question to its vector, with a word really embedded. */
export const provider: DoctorCheck = {
  name: 'provider',
  needs: 'configuration',
  run: async (world) => {
    // An external program has a check of its own.
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
      summary: names.length === 0 ? 'none: memory is searched by words alone' : names.join(', '),
      findings: done.flatMap(({ memories, diagnosis }) => findingsOf(memories, diagnosis)),
    };
  },
};

/** Agents with one provider are one question to it: a probe may cost money. */
function groupBySettings(memories: readonly OpenedMemory[]): readonly (readonly OpenedMemory[])[] {
  const groups = new Map<string, OpenedMemory[]>();
  for (const memory of memories) {
    const { provider: name, fallback, model, remote, local, ...rest } = memory.agent.memorySearch;
    const { outputDimensionality: length } = rest;
    const key = JSON.stringify([name, fallback, model, remote, local, length]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [memory]);
    else group.push(memory);
  }
  return [...groups.values()];
}

/** The keys that a provider and its fallback are sent. */
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
  // The vectors of the index have a check of their own.
  return diagnosis.checks
    .filter(
      ({ check, state }) => check !== 'vectors' && (state === 'failed' || state === 'warning'),
    )
    .map((checked) => findingOf(checked, agents, diagnosis));
}

function findingOf(checked: Checked, agents: string, { ok, provider: name }: Diagnosis): Finding {
  const { check, text, cause, mend, location, state } = checked;
  // While the fallback answers, questions are embedded.
  const isFault = state === 'failed' && !ok && check !== 'fallback';
  return {
    code: codeOf(checked),
    severity: isFault ? 'fault' : 'warning',
    message: `provider ${name ?? text} of agent ${agents}: ${WORDS[check] ?? check}`,
    ...(cause === undefined ? {} : { cause: `${text}: ${cause}` }),
    ...(location === undefined ? {} : { place: location }),
    hint: mend ?? 'svc provider test shows the whole way',
  };
}

const WORDS: Readonly<Partial<Record<Checked['check'], string>>> = {
  selected: 'it cannot be chosen',
  key: 'its key cannot be had',
  endpoint: 'its address has a fault',
  embed: 'it does not embed',
  batch: 'it has no batches',
  fallback: 'its fallback does not embed',
  vectors: 'its vectors have a fault',
};

function codeOf({ check, code }: CheckOutcome & { readonly check: string }): string {
  return code === undefined ? `provider-${check}` : code.toLowerCase().replaceAll('_', '-');
}
