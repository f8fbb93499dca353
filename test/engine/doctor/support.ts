import { mkdirSync, utimesSync } from 'node:fs';
import { inspect } from 'node:util';
import * as assert from 'uvu/assert';
import {
  type DoctorReport,
  type Finding,
  type Host,
  thisHost,
} from '../../../src/engine/doctor/check.js';
import { DOCTOR_CHECKS } from '../../../src/engine/doctor/registry.js';
import { type RunDoctorOptions, runDoctor } from '../../../src/engine/doctor/run-doctor.js';
import { openMemory } from '../../../src/engine/memory/open-memory.js';
import type { EngineContext } from '../../../src/engine/support/context.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';

/** The value of every secret in these tests: nothing may show it. */
export const PLANTED = 'sk-planted-4f9a-never-shown';

/** A set-up of its own: a home with a state folder, and a workspace with a note in it. */
export interface Patient extends TempFolder {
  /** The state folder. */
  readonly state: string;
  /** The configuration file; there is none before {@link configure}. */
  readonly config: string;
  readonly index: string;
  env: Record<string, string>;
  nowMs: (() => number) | undefined;
  host: Partial<Host>;
  /** Writes the configuration; text as it is. */
  configure(config: object | string): void;
  options(checks?: readonly string[]): RunDoctorOptions;
  /** Brings the index of the default agent up to date. */
  sync(): Promise<void>;
}

/** Makes a set-up in which nothing is wrong. */
export function healthyPatient(): Patient {
  const folder = tempFolder();
  mkdirSync(folder.at('state'), { mode: 0o700 });
  const note = folder.write('state/workspace/MEMORY.md', '# Memory\n\nThe backup runs at night.\n');
  // Files that were changed this very moment are looked at once more.
  const old = Date.now() / 1000 - 3600;
  utimesSync(note, old, old);
  const state = folder.at('state');
  const patient: Patient = {
    ...folder,
    state,
    config: folder.at('state/svc.json'),
    index: folder.at('state/memory/main.sqlite'),
    env: {},
    nowMs: undefined,
    host: {},
    configure: (config) => {
      const text = typeof config === 'string' ? config : `${JSON.stringify(config, null, 2)}\n`;
      folder.write('state/svc.json', text);
    },
    options: (checks) => ({
      context: contextOf(patient),
      configFile: undefined,
      host: { ...thisHost(), ...patient.host },
      checks: DOCTOR_CHECKS.filter(({ name }) => checks?.includes(name) ?? true),
      signal: new AbortController().signal,
    }),
    sync: async () => {
      const memory = await openMemory(contextOf(patient), { kind: 'agent' });
      await memory.backend.sync({});
      await memory.backend.close();
    },
  };
  return patient;
}

function contextOf({ path, state, env, nowMs }: Patient): EngineContext {
  return {
    env,
    cwd: path,
    homeDir: path,
    state: { stateDir: state, cacheDir: state, userConfigFile: `${state}/svc.json` },
    clock: { now: nowMs ?? Date.now },
  };
}

/** The findings of a report, each with the name of its check before its code. */
export function codesOf(report: DoctorReport): readonly string[] {
  return report.checks.flatMap(({ check, findings }) =>
    findings.map(({ code }) => `${check}/${code}`),
  );
}

/** The one finding of a code; fails the test when there is none. */
export function findingOf(report: DoctorReport, wanted: string): Finding {
  const [name, code] = wanted.split('/');
  const found = report.checks
    .find(({ check }) => check === name)
    ?.findings.find((finding) => finding.code === code);
  if (found === undefined) throw new Error(`no ${wanted} in ${inspect(codesOf(report))}`);
  return found;
}

/** Runs some checks of a set-up, and asserts that no secret is shown. */
export async function look(patient: Patient, checks?: readonly string[]): Promise<DoctorReport> {
  const report = await runDoctor(patient.options(checks));
  const told = inspect(report, { depth: 12, maxArrayLength: null, maxStringLength: null });
  assert.not.ok(told.includes(PLANTED), told);
  return report;
}
