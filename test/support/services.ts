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

/** A service under a test's hand, and what was asked of it. */
export interface ScriptedService {
  readonly definition: ServiceDefinition;
  /** `start`, `reload`, `drain`, `stop`, in the order they were called. */
  readonly calls: string[];
  /** That of the present life. */
  readonly host: () => ServiceHost;
  /** How the next starts go; `ready` when nothing is said. */
  readonly starts: (Error | 'ready' | 'slow')[];
  /** What a reload answers. */
  takesOn: boolean;
  /** Lets a service that starts slowly be ready. */
  readonly becomeReady: () => void;
  /** Draining waits for it. */
  drained: Promise<void>;
}

/** A service whose behaviour a test scripts. */
export function scriptedService(name: string): ScriptedService {
  const calls: string[] = [];
  const starts: ScriptedService['starts'] = [];
  let host: ServiceHost | undefined;
  let becomeReady: () => void = () => undefined;
  const service: Service & { ready: Promise<void> } = {
    ready: Promise.resolve(),
    reload: async () => {
      calls.push('reload');
      return scripted.takesOn;
    },
    drain: async () => {
      calls.push('drain');
      await scripted.drained;
    },
    stop: async () => {
      calls.push('stop');
    },
  };
  const scripted: ScriptedService = {
    calls,
    starts,
    takesOn: true,
    drained: Promise.resolve(),
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
        const how = starts.shift() ?? 'ready';
        if (how instanceof Error) throw how;
        const slow = new Promise<void>((resolve) => {
          becomeReady = resolve;
        });
        return { ...service, ready: how === 'slow' ? slow : Promise.resolve() };
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
