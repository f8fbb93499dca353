import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type DreamTarget, dreamTargets } from '../../dreaming/dream-targets.js';
import { realWorkspaceDir } from '../../dreaming/dream-workspace.js';
import { openNarrator } from '../../dreaming/model/open-narrator.js';
import { openDreams } from '../../dreaming/open-dreams.js';
import { MEMORY_FILE } from '../../dreaming/promotion/change-memory.js';
import { readGuarded } from '../../dreaming/promotion/guarded-file.js';
import { MOST_LOG_BYTES } from '../../dreaming/recall-log/append-recall.js';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import type { ConfiguredWorld } from '../world.js';

const DREAMING = ['plugins', 'entries', 'memory-core', 'config', 'dreaming'] as const;

/** Whether sweeps could do their work: what they know, the log of searches, MEMORY.md, the model. */
export const dreaming: DoctorCheck = {
  name: 'dreaming',
  needs: 'configuration',
  run: async (world) => {
    const { enabled } = world.loaded.resolved.plugins.entries['memory-core'].config.dreaming;
    if (!enabled) return { summary: 'switched off', findings: [], off: true };
    const targets = dreamTargets(world.loaded, world.context);
    const findings = [
      ...targets.flatMap((target) => [
        ...storeFindings(target),
        ...logFindings(target),
        ...memoryFindings(target),
      ]),
      ...(await modelFindings(world)),
    ];
    return { summary: `${targets.length} workspaces`, findings };
  },
};

function storeFindings({ workspace }: DreamTarget): readonly Finding[] {
  try {
    openDreams(workspace)?.close();
    return [];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return [
      {
        code: 'dreaming-store',
        severity: 'fault',
        message: error.message,
        place: { file: workspace.files.database },
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      },
    ];
  }
}

function logFindings({ workspace: { files } }: DreamTarget): readonly Finding[] {
  const size = statSync(files.recallLog, { throwIfNoEntry: false })?.size ?? 0;
  if (size < MOST_LOG_BYTES) return [];
  return [
    {
      code: 'dreaming-log-full',
      severity: 'warning',
      message: 'the log of what was recalled is full: further searches do not count',
      place: { file: files.recallLog },
      hint: 'a sweep takes it in: type "svc dream run", and see that "svc serve" runs',
    },
  ];
}

function memoryFindings({ workspace }: DreamTarget): readonly Finding[] {
  const file = join(workspace.dir, MEMORY_FILE);
  const finding = { severity: 'fault', place: { file } } as const;
  try {
    const { path } = readGuarded(realWorkspaceDir(workspace), MEMORY_FILE);
    // It is replaced as a whole: what counts is its folder.
    accessSync(dirname(path), constants.W_OK);
    return [];
  } catch (error) {
    if (error instanceof SvcError) {
      // A folder that is not there is told by the check of workspaces.
      if (error.code !== 'DREAM_FILE_REFUSED') return [];
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      return [{ ...finding, code: 'dreaming-memory-refused', message: error.message, ...hint }];
    }
    return [
      {
        ...finding,
        code: 'dreaming-memory-unwritable',
        message: `sweeps cannot write ${MEMORY_FILE} (${systemErrorCode(error) ?? 'unknown error'})`,
        hint: 'check the permissions of the file and its folder',
      },
    ];
  }
}

async function modelFindings({
  loaded,
  context,
  signal,
  placeOf,
}: ConfiguredWorld): Promise<readonly Finding[]> {
  const { warnings } = await openNarrator(loaded, context, signal);
  const place = placeOf([...DREAMING, 'model']);
  return warnings.map(({ message, hint }) => ({
    code: 'dreaming-model',
    severity: 'warning',
    message,
    cause: 'plain words are written without it',
    ...(place === undefined ? {} : { place }),
    ...(hint === undefined ? {} : { hint }),
  }));
}
