import type { Diagnosis } from '../../embeddings/diagnosis/index.js';
import type { OpenedMemory } from '../../memory/open-memory.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import type { ConfiguredWorld } from '../world.js';

/** Whether the external search program answers, where it is configured; it is really asked. */
export const backend: DoctorCheck = {
  name: 'backend',
  needs: 'configuration',
  run: async (world) => {
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
      findings: diagnoses.flatMap(({ memory, diagnosis }) => findingsOf(memory, diagnosis, world)),
    };
  },
};

function findingsOf(
  { agent }: OpenedMemory,
  { checks }: Diagnosis,
  world: ConfiguredWorld,
): readonly Finding[] {
  const place = world.placeOf(['memory', 'ext', 'command']) ?? world.placeOf(['memory', 'backend']);
  return checks
    .filter(({ state }) => state === 'failed' || state === 'warning')
    .map(({ check, text, cause, mend }) => ({
      code: `backend-${check}`,
      // The builtin engine answers meanwhile.
      severity: 'warning',
      message: `the external search program of agent ${agent.id}: ${WORDS[check] ?? check}`,
      ...(cause === undefined ? {} : { cause: `${text}: ${cause}` }),
      ...(place === undefined ? {} : { place }),
      hint: mend ?? `svc memory status --deep --agent ${agent.id} shows the whole way`,
    }));
}

const WORDS: Readonly<Partial<Record<Diagnosis['checks'][number]['check'], string>>> = {
  program: 'it cannot be run',
  release: 'it does not say what it can',
  collections: 'it does not have all collections',
  question: 'it does not answer',
  vectors: 'not all contents have a vector',
};
