import { activityFolder, activityRecorder } from '../activity/index.js';
import { type ListenAddress, type LoadedConfig, loadConfig } from '../config/index.js';
import { requireTrusted } from '../config/trust/config-trust.js';
import { faultFields, messageOf, SvcError } from '../errors/index.js';
import type { PauseRecord } from '../flow-model/task-record.js';
import { checkAddresses } from '../listener/listen.js';
import type { SecretMask } from '../masking/index.js';
import { resolveSecret } from '../secrets/index.js';
import { deferred, withinTime } from '../support/async.js';
import type { EngineContext } from '../support/context.js';
import { shortHash } from '../support/text.js';
import { iso } from '../support/time.js';
import { withInstanceLock } from './instance-lock.js';
import { createLog, type LogLineListener, type LogSettings, type ServeLog } from './log/log.js';
import { logFileOf } from './log/read-log.js';
import type { ServeOutput } from './output-schemas.js';
import { readinessOf } from './readiness.js';
import type { ServeSetup, ServiceDefinition, ServiceSwitch } from './service.js';
import { serviceDefinitions } from './service-definitions.js';
import type { OpenedFlows } from './services/flows-service.js';
import { HEALTH_SERVICE } from './services/health-service.js';
import { type ObserveWebhooks, WEBHOOKS_SERVICE } from './services/webhooks-service.js';
import { type ServeState, type ServiceSnapshot, StateFile } from './state-file.js';
import { createSupervisor, SERVICE_BACKOFF, type Supervisor } from './supervisor.js';
import { notifySystemdReady } from './systemd-unit.js';

export interface ServeOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  readonly without: readonly ServiceSwitch[];
  readonly completeForgetting?: ServeSetup['completeForgetting'];
  /** How svc itself is run; see ServeSetup. */
  readonly program?: ServeSetup['program'];
  readonly pid: number;
  /** Which command it is; `svc serve` when left out. */
  readonly command?: string | undefined;
  /** Masks everything that is logged, stored or shown. */
  readonly mask: Pick<SecretMask, 'data' | 'text'>;
  /** Adds the flags that chose the configuration to the commands in a hint. */
  readonly hintFor?: ((hint: string) => string) | undefined;
  readonly onLine: LogLineListener | undefined;
  /** Called when the log can no longer be written. */
  readonly onProblem?: ((why: string) => void) | undefined;
  /** Overrides `logging.level`. */
  readonly level?: string | undefined;
  /** Called after every change of a service. */
  readonly onChange?: ((state: ServeState) => void) | undefined;
  /** The services to run; all when left out. */
  readonly define?: typeof serviceDefinitions;
  /** Adjusts each configuration that is loaded. */
  readonly adjust?: ((loaded: LoadedConfig) => LoadedConfig) | undefined;
  /** Called with each new webhook listener. */
  readonly onWebhooks?: ObserveWebhooks | undefined;
}

/** What waits for tasks and notifications, and what is paused. */
export interface ServeQueue {
  readonly queued: number;
  readonly running: number;
  /** Not delivered yet. */
  readonly notifications: number;
  readonly pauses: readonly PauseRecord[];
}

/** Why the process ends. */
export type StopReason = ServeOutput['reason'];

/**
 * The long-lived process of a state folder, with its lock, log, state file and supervised services.
 */
export class ServeProcess {
  private readonly options: ServeOptions;
  private readonly openedFlows: OpenedFlows = { current: undefined };
  private readonly stopRequest = deferred<StopReason>();
  private reloads: Promise<unknown> = Promise.resolve();
  private running: Running | undefined;
  private readonly stopping = new AbortController();

  constructor(options: ServeOptions) {
    this.options = options;
  }

  /**
   * Runs until it is stopped and everything has ended, or the time for that is over.
   *
   * @throws SvcError CONFIG_* for an invalid configuration, SERVE_RUNNING
   */
  async run(): Promise<ServeOutput> {
    const { context } = this.options;
    const loaded = await this.load();
    // A secret that cannot be read is the problem of the services that need it, which are started again.
    const configured = await withUrlHash(loaded, context, this.stopping.signal).catch(() => loaded);
    return withInstanceLock(context.state.stateDir, async () => {
      const running = this.begin(configured);
      this.running = running;
      const reason = await this.stopRequest.promise;
      return this.end(running, reason);
    });
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Finishes the work in progress, then `run`. Only the first reason counts. */
  stop(reason: StopReason): void {
    this.stopping.abort();
    this.stopRequest.resolve(reason);
  }

  /** Reloads the configuration; an invalid one changes nothing, and its error is returned. Reloads run one at a time. */
  reload(): Promise<unknown> {
    this.reloads = this.reloads.then(() => this.reloadOnce());
    return this.reloads;
  }

  /**
   * What waits in the flows of this process; undefined while they are not open.
   *
   * @throws SvcError if the store cannot be read
   */
  async queue(): Promise<ServeQueue | undefined> {
    const { current: flows } = this.openedFlows;
    if (flows === undefined) return undefined;
    const { queued, running, notifications } = await flows.statistics();
    return {
      queued: sumOf(queued),
      running: sumOf(running),
      notifications: sumOf(notifications),
      pauses: await flows.tasks.paused(),
    };
  }

  /** Logs an uncaught error, and whether the process continues. */
  logUncaught(error: unknown, continues: boolean): void {
    const logger = this.running?.log.logger;
    if (continues) logger?.error({ err: error }, `continued after: ${messageOf(error)}`);
    else logger?.fatal({ err: error }, `exiting because of a bug: ${messageOf(error)}`);
  }

  private begin(loaded: LoadedConfig): Running {
    const { context: baseContext, mask, onChange, pid, command = 'svc serve' } = this.options;
    const { hintFor = String } = this.options;
    const log = createLog(this.logSettings({ context: baseContext, loaded }), {
      ...this.options,
      clock: baseContext.clock,
    });
    const { logger } = log;
    const context = withLoggedActivity(baseContext, (why) => logger.warn(why));
    const { completeForgetting, program } = this.options;
    const setup: ServeSetup = { context, loaded, mask, completeForgetting, program };
    const startedMs = context.clock.now();
    const state = (): ServeState => ({
      command,
      pid,
      startedMs,
      configFile: running.setup.loaded.file ?? null,
      logFile: logFileOf(running.setup),
      services: mask.data(supervisor.snapshots.map((service) => withHint(service, hintFor))),
    });
    const stateFile = new StateFile(context.state.stateDir, state, (why) =>
      logger.warn({ why }, 'cannot write the state file; svc status does not show the services'),
    );
    let isNotified = false;
    // An init system waits until requests are accepted. A first index can take much longer.
    const notifyWhenListening = (): void => {
      if (isNotified || !isListening(supervisor.snapshots)) return;
      isNotified = true;
      notifySystemdReady(context.env, (why) =>
        logger.warn({ why }, 'cannot notify systemd that svc is ready'),
      );
    };
    const supervisor = createSupervisor({
      clock: context.clock,
      backoff: SERVICE_BACKOFF,
      log: logger,
      onChange: () => {
        stateFile.writeSoon();
        notifyWhenListening();
        onChange?.(state());
      },
    });
    const running: Running = { setup, log, stateFile, supervisor, startedMs };
    logger.info({ configFile: loaded.file ?? null }, 'started');
    logWarnings(loaded, log);
    // Stopped while its secrets were read: services would ask for them again.
    supervisor.start(this.isStopping ? [] : this.definitions(setup, supervisor));
    stateFile.write();
    notifyWhenListening();
    return running;
  }

  private async end(running: Running, reason: StopReason): Promise<ServeOutput> {
    const { setup, log, stateFile, supervisor, startedMs } = running;
    const { drainSeconds } = setup.loaded.resolved.gateway;
    log.logger.info({ reason, drainSeconds }, 'stopping');
    supervisor.abort();
    // A reload in progress may be starting services: it finishes first.
    const ended = this.reloads.then(() => supervisor.end());
    // Services that have nothing to finish end even without any time.
    const drainMs = Math.max(1, drainSeconds * 1000);
    const { done: drained } = await withinTime(drainMs, undefined, () => ended);
    const { snapshots: services } = supervisor;
    const late = services.filter(({ state }) => state !== 'stopped').map(({ name }) => name);
    if (drained) log.logger.info('stopped');
    else log.logger.warn({ late, drainSeconds }, 'stopped before everything ended');
    stateFile.remove();
    log.close();
    const endedAt = iso(this.options.context.clock.now());
    return { reason, startedAt: iso(startedMs), endedAt, drained, services };
  }

  private async reloadOnce(): Promise<unknown> {
    const { running } = this;
    if (running === undefined || this.isStopping) return undefined;
    const { logger } = running.log;
    const { context } = running.setup;
    try {
      const loaded = await withUrlHash(await this.load(), context, this.stopping.signal);
      requireFile(running.setup.loaded, loaded);
      requireStillTrusted(running.setup.loaded, loaded);
      const setup: ServeSetup = { ...running.setup, loaded };
      // Faults are found before anything changes.
      const definitions = this.definitions(setup, running.supervisor);
      const inUse = addressesOf(this.definitions(running.setup, running.supervisor));
      await checkAddresses(addressesOf(definitions), inUse);
      running.setup = setup;
      running.log.reopen(this.logSettings(setup));
      logWarnings(loaded, running.log);
      await running.supervisor.reload(definitions, setup);
      running.stateFile.writeSoon();
      if (!this.isStopping) logger.info({ configFile: loaded.file ?? null }, 'reloaded');
      return undefined;
    } catch (error) {
      if (this.isStopping) return undefined;
      const message = `not reloaded, the old configuration stays in effect: ${messageOf(error)}`;
      logger.error(faultFields(error), message);
      return error;
    }
  }

  private async load(): Promise<LoadedConfig> {
    const { context, configFile, adjust } = this.options;
    const loaded = await loadConfig(context, { configFile });
    return adjust?.(loaded) ?? loaded;
  }

  private logSettings(setup: Pick<ServeSetup, 'context' | 'loaded'>): LogSettings {
    const { logging } = setup.loaded.resolved;
    return { level: this.options.level ?? logging.level, file: logFileOf(setup), logging };
  }

  private definitions(setup: ServeSetup, supervisor: Supervisor): readonly ServiceDefinition[] {
    const readiness = () => readinessOf(supervisor.snapshots, HEALTH_SERVICE);
    const { define = serviceDefinitions, without, onWebhooks } = this.options;
    const flows = this.openedFlows;
    return define(setup, { without, readiness, flows, onWebhooks });
  }
}

function addressesOf(definitions: readonly ServiceDefinition[]): readonly ListenAddress[] {
  return definitions.flatMap(({ addresses = [] }) => addresses);
}

/** Warns in the log instead of on stderr, where only lines of the log are expected. */
function withLoggedActivity(context: EngineContext, warn: (why: string) => void): EngineContext {
  if (context.onActivity === undefined) return context;
  const folder = activityFolder(context.state);
  return { ...context, onActivity: activityRecorder(folder, context.clock.now, warn) };
}

function withHint(service: ServiceSnapshot, hintFor: (hint: string) => string): ServiceSnapshot {
  const { failure } = service;
  if (failure?.hint == null) return service;
  return { ...service, failure: { ...failure, hint: hintFor(failure.hint) } };
}

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

interface Running {
  /** The configuration in use. */
  setup: ServeSetup;
  readonly log: ServeLog;
  readonly stateFile: StateFile;
  readonly supervisor: Supervisor;
  readonly startedMs: number;
}

/** Whether every listener listens; true if there is none. */
function isListening(services: readonly ServiceSnapshot[]): boolean {
  return services.every(
    ({ name, state }) =>
      (name !== HEALTH_SERVICE && name !== WEBHOOKS_SERVICE) || state === 'ready',
  );
}

/** So that a reload notices another URL, such as one with a new password, behind the same reference. */
async function withUrlHash(
  loaded: LoadedConfig,
  { env, onSecret }: EngineContext,
  signal: AbortSignal,
): Promise<LoadedConfig> {
  const { resolved } = loaded;
  const { storage, secrets } = resolved;
  if (storage.url === undefined || storage.url.kind === 'plain') return loaded;
  const url = await resolveSecret(storage.url, { env, settings: secrets, onSecret, signal });
  return { ...loaded, resolved: { ...resolved, storage: { ...storage, urlHash: shortHash(url) } } };
}

/**
 * A file that is being replaced can be missing for a moment. The defaults would then end every agent.
 */
function requireFile(old: LoadedConfig, next: LoadedConfig): void {
  if (old.file === undefined || next.file !== undefined) return;
  throw new SvcError('CONFIG_NOT_FOUND', `${old.file} is missing`, {
    hint: 'restore it, or restart to run with the defaults',
  });
}

function logWarnings({ warnings }: LoadedConfig, { logger }: ServeLog): void {
  for (const { code, message, hint } of warnings) logger.warn({ code, hint }, message);
}

/** A trusted file that changed must be trusted again, or its routes and tasks would end. */
function requireStillTrusted(old: LoadedConfig, { file, ignoredKeys = [] }: LoadedConfig): void {
  if (file === undefined || (old.ignoredKeys ?? []).length > 0) return;
  requireTrusted(file, ignoredKeys);
}
