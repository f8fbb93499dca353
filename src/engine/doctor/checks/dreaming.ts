import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DREAMING_PATH } from '../../config/index.js';
import {
  type DreamTarget,
  dreamTargets,
  handWritten,
  MOST_LOG_BYTES,
  nextSweepMs,
  openNarrator,
  readDreams,
} from '../../dreaming/index.js';
import { SvcError, systemReason } from '../../errors/index.js';
import { resolveWorkspace } from '../../memory/sources/index.js';
import { MEMORY_FILE, readGuarded, requireWritable } from '../../memory-files/guarded-file.js';
import { integrityComplaint, MOST_CHECKED_BYTES } from '../../sqlite/database.js';
import { formatCount, formatCountOf, zonedMinute } from '../../support/format.js';
import { MS_PER_DAY } from '../../support/time.js';
import { type ConfiguredWorld, configuredCheck, type Finding, faultOf, finding } from '../check.js';

/** Whether sweeps can run: their database, the recall log, MEMORY.md and the model. */
export const dreaming = configuredCheck('dreaming', async (world) => {
  const { enabled } = world.loaded.resolved.plugins.entries['memory-core'].config.dreaming;
  if (!enabled) return { summary: 'off', findings: [], off: true };
  const targets = dreamTargets(world.loaded, world.context);
  const findings = [
    ...targets.flatMap((target) => [
      storeFinding(target),
      logFinding(target),
      memoryFinding(target),
    ]),
    ...(await modelFindings(world)),
  ];
  return { summary: formatCountOf(targets.length, 'workspace'), findings };
});

function storeFinding({ workspace }: DreamTarget): Finding | undefined {
  const { database: file } = workspace.files;
  const place = { file };
  try {
    readDreams(workspace, () => undefined);
  } catch (error) {
    return faultOf('dreaming-store', error, { place });
  }
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined || size > MOST_CHECKED_BYTES) return undefined;
  const complaint = integrityComplaint(file);
  if (complaint === undefined) return undefined;
  return finding('dreaming-store', 'fault', {
    message: 'what dreaming has recorded is damaged',
    cause: complaint,
    place,
    hint: 'move the file away, which discards the recalls and sweeps recorded so far',
  });
}

function logFinding({ workspace: { files } }: DreamTarget): Finding | undefined {
  const size = statSync(files.recallLog, { throwIfNoEntry: false })?.size ?? 0;
  if (size < MOST_LOG_BYTES) return undefined;
  return finding('dreaming-log-full', 'warning', {
    message: 'the recall log is full: further searches are not counted',
    place: { file: files.recallLog },
    hint: 'run "svc dream run", and check that "svc serve" is running',
  });
}

function memoryFinding({ workspace, settings }: DreamTarget): Finding | undefined {
  const file = join(workspace.dir, MEMORY_FILE);
  try {
    const memory = readGuarded(resolveWorkspace(workspace.dir), MEMORY_FILE);
    const { path, text } = memory;
    requireWritable(memory);
    // The file is replaced, so its folder must be writable.
    accessSync(dirname(path), constants.W_OK);
    const { maxMemoryChars } = settings.phases.deep;
    const characters = handWritten(text).length;
    if (characters <= maxMemoryChars) return undefined;
    return finding('dreaming-memory-full', 'warning', {
      message: `your own lines in ${MEMORY_FILE} have ${formatCount(characters)} characters, over its budget of ${formatCount(maxMemoryChars)}`,
      cause: 'dreaming promotes nothing more, and never removes your lines',
      place: { file },
      hint: 'move some of them to notes in memory/, or raise phases.deep.maxMemoryChars',
    });
  } catch (error) {
    if (error instanceof SvcError) {
      // The check of workspaces reports a missing folder.
      if (error.code !== 'DREAM_FILE_REFUSED') return undefined;
      return faultOf('dreaming-memory-refused', error, { place: { file } });
    }
    return finding('dreaming-memory-unwritable', 'fault', {
      message: `dreaming cannot write ${MEMORY_FILE} (${systemReason(error)})`,
      place: { file },
      hint: 'check the permissions of the file and its folder',
    });
  }
}

async function modelFindings({
  loaded,
  context,
  signal,
  placeOf,
}: ConfiguredWorld): Promise<readonly Finding[]> {
  const { warnings } = await openNarrator(loaded, context, signal);
  const place = placeOf([...DREAMING_PATH, 'model']);
  return warnings.map(({ message, hint }) =>
    finding('dreaming-model', 'warning', {
      message,
      cause: 'dreaming writes its diary without a model',
      place,
      hint,
    }),
  );
}

const LONG_MS = 366 * MS_PER_DAY;

/** When dreaming runs next. A schedule that never fires is a fault of the configuration. */
export const schedule = configuredCheck('schedule', async ({ loaded, context, placeOf }) => {
  const { plugins, agents } = loaded.resolved;
  const { dreaming: settings } = plugins.entries['memory-core'].config;
  const timeZone = settings.timezone ?? agents.defaults.userTimezone;
  const nowMs = context.clock.now();
  const nextMs = nextSweepMs({ settings, timeZone }, nowMs);
  if (nextMs === undefined) return { summary: 'dreaming is off', findings: [], off: true };
  const rare = finding('schedule-rare', 'warning', {
    message: 'the dreaming schedule fires in more than a year',
    place: placeOf([...DREAMING_PATH, 'frequency']),
    hint: 'use minute, hour, day of month, month and day of week, such as "0 3 * * *" for every night',
  });
  const summary = `next run ${zonedMinute(nextMs, timeZone)}`;
  return { summary, findings: nextMs - nowMs > LONG_MS ? [rare] : [] };
});
