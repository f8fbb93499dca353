import { type LoadedConfig, loadConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { messageOf, SvcError } from '../errors/index.js';
import type { SecretMask } from '../secrets/mask/secret-mask.js';
import { type Backoff, SERVICE_BACKOFF } from './backoff.js';
import { deferred } from './deferred.js';
import { faultFields } from './fault-fields.js';
import { withInstanceLock } from './instance-lock.js';
import { createLog, type LogLineListener, type LogSettings, type ServeLog } from './log/log.js';
import { logFileOf } from './log/log-file.js';
import { readinessOf } from './readiness.js';
import type { ServeSetup, ServiceDefinition, ServiceSwitch } from './service.js';
import { serviceDefinitions } from './service-definitions.js';
import type { ServiceSnapshot } from './service-snapshot.js';
import { HEALTH_SERVICE } from './services/health-service.js';
import type { ObserveWebhooks } from './services/webhooks-service.js';
import { type ServeState, StateFile } from './state-file.js';
import { Supervisor } from './supervisor.js';

/** What the long-lived process is told. */
export interface ServeOptions {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  readonly without: readonly ServiceSwitch[];
  /** How svc itself is run; see ServeSetup. */
  readonly program?: ServeSetup['program'];
  readonly pid: number;
  /** Everything that is logged, written down or shown goes through it. */
  readonly mask: Pick<SecretMask, 'data'>;
  readonly onLine: LogLineListener | undefined;
  /** Told when the log cannot be written any more. */
  readonly onTrouble?: ((why: string) => void) | undefined;
  /** In place of `logging.level`. */
  readonly level?: string | undefined;
  /** Called after every change of any service. */
  readonly onChange?: ((state: ServeState) => void) | undefined;
  readonly backoff?: Backoff;
  /** What there is to run; all there is unless somebody says otherwise. */
  readonly define?: typeof serviceDefinitions;
  /** Changes each configuration that is read, before anything is made of it. */
  readonly adjust?: ((loaded: LoadedConfig) => LoadedConfig) | undefined;
  /** Told of the webhook listener whenever there is another one. */
  readonly onWebhooks?: ObserveWebhooks | undefined;
}

/** Why the process was asked to end. */
export type StopReason = 'SIGINT' | 'SIGTERM' | 'crash' | 'quit';

/** How it ended; times in milliseconds since the epoch. */
export interface ServeEnd {
  readonly reason: StopReason;
  readonly startedMs: number;
  readonly endedMs: number;
  /** False when `gateway.drainSeconds` were over before everything had ended. */
  readonly isDrained: boolean;
  readonly services: readonly ServiceSnapshot[];
}

/**
 * The one long-lived process of a state folder: its lock, its log, its state file, and the services
 * under their supervisor. Made, run once; told meanwhile to reload and to stop.
 */
export class ServeProcess {
  private readonly options: ServeOptions;
  private readonly stopOrder = deferred<StopReason>();
  private reloads: Promise<void> = Promise.resolve();
  private running: Running | undefined;
  private isStopping = false;

  constructor(options: ServeOptions) {
    this.options = options;
  }

  /**
   * Runs until it is told to stop and everything has ended, or had its time.
   *
   * @throws SvcError CONFIG_* for a configuration that cannot be used, SERVE_RUNNING
   */
  async run(): Promise<ServeEnd> {
    const { context } = this.options;
    const loaded = await this.load();
    return withInstanceLock(context.state.stateDir, async () => {
      const running = this.begin(loaded);
      this.running = running;
      const reason = await this.stopOrder.promise;
      return this.end(running, reason);
    });
  }

  /** Ends the work under way and then `run`. Only the first reason counts. */
  stop(reason: StopReason): void {
    this.isStopping = true;
    this.stopOrder.resolve(reason);
  }

  /** Reads the configuration anew; one that is not valid changes nothing. One after the other. */
  reload(): Promise<void> {
    this.reloads = this.reloads.then(() => this.reloadOnce());
    return this.reloads;
  }

  /** Tells of something thrown that nobody waited for, and whether the process goes on. */
  stray(error: unknown, goesOn: boolean): void {
    const logger = this.running?.log.logger;
    if (goesOn) logger?.error({ err: error }, `went on after: ${messageOf(error)}`);
    else logger?.fatal({ err: error }, `a bug ends the process: ${messageOf(error)}`);
  }

  private begin(loaded: LoadedConfig): Running {
    const { context, mask, onChange, pid, backoff = SERVICE_BACKOFF } = this.options;
    const setup: ServeSetup = { context, loaded, program: this.options.program };
    const log = createLog(this.logSettings(setup), { ...this.options, clock: context.clock });
    const { logger } = log;
    const startedMs = context.clock.now();
    const state = (): ServeState => ({
      pid,
      startedMs,
      configFile: running.setup.loaded.file ?? null,
      logFile: logFileOf(running.setup),
      services: mask.data(supervisor.snapshots),
    });
    const stateFile = new StateFile(context.state.stateDir, state, (why) =>
      logger.warn(
        { why },
        'the state file cannot be written; svc status does not see the services',
      ),
    );
    const supervisor = new Supervisor({
      clock: context.clock,
      backoff,
      log: logger,
      onChange: () => {
        stateFile.touch();
        onChange?.(state());
      },
    });
    const running: Running = { setup, log, stateFile, supervisor, startedMs };
    logger.info({ configFile: loaded.file ?? null }, 'started');
    for (const { message } of loaded.warnings) logger.warn(message);
    supervisor.start(this.definitions(setup, supervisor));
    stateFile.write();
    return running;
  }

  private async end(running: Running, reason: StopReason): Promise<ServeEnd> {
    const { setup, log, stateFile, supervisor, startedMs } = running;
    const { drainSeconds } = setup.loaded.resolved.gateway;
    log.logger.info({ reason, drainSeconds }, 'stopping');
    // A reload under way may be starting services: it comes to its end first.
    const ended = this.reloads.then(() => supervisor.end());
    const isDrained = await within(drainSeconds * 1000, ended);
    const { snapshots: services } = supervisor;
    const late = services.filter(({ state }) => state !== 'stopped').map(({ name }) => name);
    if (isDrained) log.logger.info('stopped');
    else log.logger.warn({ late, drainSeconds }, 'stopped before everything had ended');
    stateFile.remove();
    log.close();
    const endedMs = this.options.context.clock.now();
    return { reason, startedMs, endedMs, isDrained, services };
  }

  private async reloadOnce(): Promise<void> {
    const { running } = this;
    if (running === undefined || this.isStopping) return;
    const { context } = this.options;
    const { logger } = running.log;
    try {
      const loaded = await this.load();
      refuseLoss(running.setup.loaded, loaded);
      const setup: ServeSetup = { context, loaded, program: this.options.program };
      // All that can be wrong with it is found before anything is changed.
      const definitions = this.definitions(setup, running.supervisor);
      running.setup = setup;
      running.log.reopen(this.logSettings(setup));
      for (const { message } of loaded.warnings) logger.warn(message);
      await running.supervisor.reload(definitions, setup);
      running.stateFile.touch();
      logger.info({ configFile: loaded.file ?? null }, 'reloaded');
    } catch (error) {
      const message = `not reloaded, the old configuration stays: ${messageOf(error)}`;
      logger.error(faultFields(error), message);
    }
  }

  private async load(): Promise<LoadedConfig> {
    const { context, configFile, adjust } = this.options;
    const loaded = await loadConfig(context, { configFile });
    return adjust?.(loaded) ?? loaded;
  }

  private logSettings(setup: ServeSetup): LogSettings {
    const { logging } = setup.loaded.resolved;
    return { level: this.options.level ?? logging.level, file: logFileOf(setup), logging };
  }

  private definitions(setup: ServeSetup, supervisor: Supervisor): readonly ServiceDefinition[] {
    const readiness = () => readinessOf(supervisor.snapshots, HEALTH_SERVICE);
    const { define = serviceDefinitions, without, onWebhooks } = this.options;
    return define(setup, { without, readiness, onWebhooks });
  }
}

interface Running {
  /** The configuration in use. */
  setup: ServeSetup;
  readonly log: ServeLog;
  readonly stateFile: StateFile;
  readonly supervisor: Supervisor;
  readonly startedMs: number;
}

/**
 * A file that is being replaced may be missing for a moment. The defaults, which hold without one, would
 * then end every agent.
 */
function refuseLoss(old: LoadedConfig, next: LoadedConfig): void {
  if (old.file === undefined || next.file !== undefined) return;
  throw new SvcError('CONFIG_NOT_FOUND', `${old.file} is gone`, {
    hint: 'put it back, or start anew to run with the defaults',
  });
}

/** Whether a piece of work ends in time; it goes on otherwise, and nobody waits for it. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
