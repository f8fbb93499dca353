import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CheckedConfig, checkConfigFile } from '../config/authoring.js';
import {
  agentPlaces,
  type ConfigPath,
  discoverConfig,
  type LoadedConfig,
  type ResolvedAgent,
  resolveAgents,
  resolveConfig,
  valueAt,
} from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { createSecretMask, type SecretMask } from '../masking/index.js';
import { type OpenedMemory, openAllMemories } from '../memory/index.js';
import { diskSpace } from '../overview/disk-space.js';
import { currentUser } from '../secrets/index.js';
import type { EngineContext } from '../support/context.js';
import type { DoctorOutput } from './output-schemas.js';

/**
 * One check of the doctor. It changes nothing and stops on the signal of its world. An SvcError that it
 * throws becomes a finding.
 */
export interface DoctorCheck {
  /** One lower-case word, shown to people and matched on by scripts. */
  readonly name: string;
  readonly run: (opened: OpenedWorld) => Promise<CheckReport>;
}

export function check(
  name: string,
  run: (world: DoctorWorld) => Promise<CheckReport>,
): DoctorCheck {
  return { name, run: ({ world }) => run(world) };
}

/** A check that is skipped while the configuration has faults. */
export function configuredCheck(
  name: string,
  run: (world: ConfiguredWorld) => Promise<CheckReport>,
): DoctorCheck {
  const skipped = { summary: 'skipped: the configuration has faults', findings: [], off: true };
  return { name, run: async ({ configured }) => (configured ? run(configured) : skipped) };
}

/** The worst of a check's findings, notes left out. */
export type CheckState = DoctorOutput['checks'][number]['state'];

export interface CheckResult extends Pick<CheckReport, 'summary'> {
  readonly check: string;
  readonly state: CheckState;
  readonly findings: readonly Finding[];
}

/** The results of all checks, in the order of the registry. */
export interface DoctorReport extends Pick<DoctorOutput, 'counts' | 'ok'> {
  readonly checks: readonly CheckResult[];
}

/** Progress of a doctor run, for the screen and the plain output. */
export type DoctorEvent =
  | { readonly type: 'check.started'; readonly check: string }
  | { readonly type: 'check.finished'; readonly result: CheckResult };

type PrintedFinding = DoctorOutput['checks'][number]['findings'][number];

/** A file, or a place in one. */
export type FindingPlace = NonNullable<PrintedFinding['place']>;

/**
 * A fix that a person can review before it is applied. It is safe if nothing that somebody wrote or paid for is
 * lost.
 */
export interface Fix extends NonNullable<PrintedFinding['fix']> {
  /** What has to be checked again afterwards: everything, or this check only. */
  readonly changes: 'configuration' | 'state';
  /** Applies it if nothing changed since it was shown. @throws SvcError when it cannot be applied */
  readonly apply: (signal: AbortSignal) => Promise<void>;
}

/** One problem or note. The texts are for people and contain no secrets; codes are never renamed. */
export interface Finding extends Omit<PrintedFinding, 'fix'> {
  /** Of the file at the place, with secrets masked, to show the lines around it. */
  readonly text?: string | undefined;
  readonly fix?: Fix | undefined;
}

/** Builds a finding. */
export function finding(
  code: string,
  severity: Finding['severity'],
  rest: Omit<Finding, 'code' | 'severity'>,
): Finding {
  return { code, severity, ...rest };
}

/** What a fix throws if it is no longer as it was shown. @param what changed */
export function fixOutdated(what: string): SvcError {
  return new SvcError('FIX_OUTDATED', what, { hint: 'run "svc config doctor" again' });
}

/** A fault in the words of the error that shows it. @throws what is not an SvcError */
export function faultOf(
  code: string,
  error: unknown,
  rest: Pick<Finding, 'cause' | 'fix' | 'place'> = {},
): Finding {
  if (!(error instanceof SvcError)) throw error;
  const { message, hint } = error;
  return finding(code, 'fault', { message, hint, ...rest });
}

export interface CheckReport {
  /** What was checked, in a few words. */
  readonly summary: string;
  /** Undefined entries were checked and are fine. */
  readonly findings: readonly (Finding | undefined)[];
  /** True where there was nothing to check. */
  readonly off?: boolean;
}

type ConfigReading =
  /** There is none, so the defaults are in effect. */
  | { readonly state: 'none'; readonly loaded: LoadedConfig }
  | { readonly state: 'usable'; readonly checked: CheckedConfig; readonly loaded: LoadedConfig }
  | { readonly state: 'faulty'; readonly checked: CheckedConfig }
  /** There is no text to check. */
  | { readonly state: 'unreadable'; readonly error: SvcError };

/** What every check works with: the state at the start of one run. */
export interface DoctorWorld extends DoctorOptions {
  readonly reading: ConfigReading;
  /** Empty while the configuration has faults. */
  readonly agents: readonly ResolvedAgent[];
  /** The secrets that checks read; they are masked in all findings. */
  readonly mask: SecretMask;
}

/** The same with a configuration that has no faults. */
export interface ConfiguredWorld extends DoctorWorld {
  readonly loaded: LoadedConfig;
  /** Where a setting is written; undefined when it is not in the file. */
  readonly placeOf: (path: ConfigPath) => FindingPlace | undefined;
  /** The path at which an agent's setting is written: at the agent or in the defaults. */
  readonly pathOfAgent: (agentId: string, path: ConfigPath) => ConfigPath | undefined;
  readonly placeOfAgent: (agentId: string, path: ConfigPath) => FindingPlace | undefined;
  /** The memories of all agents, opened once and closed at the end of the run. */
  readonly memories: () => Promise<readonly OpenedMemory[]>;
}

export interface DoctorOptions {
  readonly context: EngineContext;
  readonly host: Host;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  readonly signal: AbortSignal;
}

export type OpenedWorld = ReturnType<typeof openWorld>;

/** Reads the configuration for one run; `configured` is undefined while it has faults. */
export function openWorld(options: DoctorOptions) {
  const reading = readConfig(options);
  const { context, configFile } = options;
  const loaded = 'loaded' in reading ? reading.loaded : undefined;
  const agents = loaded === undefined ? [] : resolveAgents(loaded, context);
  const world: DoctorWorld = { ...options, reading, agents, mask: createSecretMask() };
  if (loaded === undefined) return { world, configured: undefined, close: async () => undefined };
  let memories: Promise<readonly OpenedMemory[]> | undefined;
  const placeOf = (path: ConfigPath): FindingPlace | undefined => locate(reading, path);
  const pathOfAgent: ConfiguredWorld['pathOfAgent'] = (agentId, path) => {
    const at = agents.findIndex(({ id }) => id === agentId);
    return agentPlaces(at, path).find(placeOf);
  };
  const configured: ConfiguredWorld = {
    ...world,
    loaded,
    placeOf,
    pathOfAgent,
    placeOfAgent: (agentId, path) => {
      const written = pathOfAgent(agentId, path);
      return written && placeOf(written);
    },
    memories: () => {
      memories ??= openAllMemories(context, { configFile });
      return memories;
    },
  };
  const close = async (): Promise<void> => {
    // Checks that open memories report failures.
    for (const memory of (await memories?.catch(() => [])) ?? []) await memory.backend.close();
  };
  return { world, configured, close };
}

function readConfig({ context, configFile }: DoctorOptions): ConfigReading {
  const discovery = discoverConfig(context, configFile);
  const { file } = discovery;
  if (file === undefined) {
    const loaded = { file, input: {}, resolved: resolveConfig({}), warnings: [] };
    return { state: 'none', loaded };
  }
  try {
    const { checked, loaded } = checkConfigFile(context, discovery, file);
    return loaded === undefined
      ? { state: 'faulty', checked }
      : { state: 'usable', checked, loaded };
  } catch (error) {
    if (error instanceof SvcError) return { state: 'unreadable', error };
    throw error;
  }
}

function locate(reading: ConfigReading, path: ConfigPath): FindingPlace | undefined {
  if (reading.state !== 'usable') return undefined;
  const { document } = reading.checked;
  return valueAt(document.value, path) === undefined ? undefined : document.locate(path);
}

/** What the doctor asks the machine; tests pass another one. */
export interface Host {
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  /** Where the kernel publishes its settings. */
  readonly procDir: string;
  /** When the program's own files were written; milliseconds since the epoch. */
  readonly programWrittenMs: number;
  readonly diskSpace: typeof diskSpace;
}

export function thisHost(): Host {
  return {
    platform: process.platform,
    uid: currentUser(),
    procDir: '/proc',
    programWrittenMs: statSync(fileURLToPath(import.meta.url)).mtimeMs,
    diskSpace,
  };
}
