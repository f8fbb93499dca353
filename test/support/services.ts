import type { Logger } from 'pino';
import { createSecretMask } from '../../src/engine/masking/index.js';
import { createLog } from '../../src/engine/serve/log/log.js';
import { ServeProcess } from '../../src/engine/serve/serve-process.js';
import type {
  Service,
  ServiceDefinition,
  ServiceHost,
  ServiceSwitch,
} from '../../src/engine/serve/service.js';
import type { EngineContext } from '../../src/engine/support/context.js';
import { tempFolder } from './temp-folder.js';

/** A service that a test controls, with the calls that it got. */
export interface ScriptedService {
  readonly definition: ServiceDefinition;
  /** `start`, `reload`, `drain`, `stop`, in the order they were called. */
  readonly calls: string[];
  /** The host of the latest start. */
  readonly host: () => ServiceHost;
  /** The results of the next starts; `ready` by default. */
  readonly startResults: (Error | 'ready' | 'slow')[];
  /** Whether it accepts a new configuration at a reload. */
  acceptsReload: boolean;
  /** Completes a slow start. */
  readonly becomeReady: () => void;
  /** Draining waits for this promise. */
  draining: Promise<void>;
  /** Reloading waits for this promise. */
  reloading: Promise<void>;
}

/** A service whose behaviour a test scripts. */
export function scriptedService(name: string): ScriptedService {
  const calls: string[] = [];
  const startResults: ScriptedService['startResults'] = [];
  let host: ServiceHost | undefined;
  let becomeReady: () => void = () => undefined;
  const service: Service & { ready: Promise<void> } = {
    ready: Promise.resolve(),
    reload: async () => {
      calls.push('reload');
      await scripted.reloading;
      return scripted.acceptsReload;
    },
    drain: async () => {
      calls.push('drain');
      await scripted.draining;
    },
    stop: async () => {
      calls.push('stop');
    },
  };
  const scripted: ScriptedService = {
    calls,
    startResults,
    acceptsReload: true,
    draining: Promise.resolve(),
    reloading: Promise.resolve(),
    becomeReady: () => becomeReady(),
    host: () => {
      if (host === undefined) throw new Error('not started');
      return host;
    },
    definition: {
      name,
      start: async (serviceHost) => {
        calls.push('start');
        host = serviceHost;
        const result = startResults.shift() ?? 'ready';
        if (result instanceof Error) throw result;
        const slow = new Promise<void>((resolve) => {
          becomeReady = resolve;
        });
        return { ...service, ready: result === 'slow' ? slow : Promise.resolve() };
      },
    },
  };
  return scripted;
}

/** A log whose lines a test can read. */
export function testLog(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const { logger } = createLog(
    {
      level: 'debug',
      file: tempFolder().at('test.log'),
      logging: { level: 'debug', format: 'json' },
    },
    {
      clock: { now: Date.now },
      pid: 1,
      mask: createSecretMask(),
      onLine: (line) => lines.push(line),
    },
  );
  return { logger, lines };
}

/** `svc serve` in this process. */
export function startServing(context: EngineContext, without: readonly ServiceSwitch[]) {
  const serve = new ServeProcess({
    context,
    configFile: undefined,
    without,
    pid: 4711,
    mask: createSecretMask(),
    onLine: undefined,
  });
  return { serve, ended: serve.run() };
}
