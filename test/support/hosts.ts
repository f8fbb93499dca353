import { type StartedSvc, type SvcRun, startSvc } from './run-svc.js';
import { runInSession } from './svc-session.js';
import { folderOf, type TempFolder } from './temp-folder.js';

/** A host of a team: a home of its own, and an origin in the shared memories. */
export interface TestHost {
  readonly origin: string;
  readonly home: TempFolder;
  /** Runs a command of the built program there, in the process of all such commands. */
  svc(...args: readonly string[]): Promise<SvcRun>;
  /** Starts it in a process of its own, for tests that stop it or run several at once. */
  start(...args: readonly string[]): StartedSvc;
}

/** How a host differs from a default one. */
export interface HostOptions {
  /** The absolute path of its workspace; the folder `ws` in its home by default. */
  readonly workspace?: string;
  /** Files of its home. */
  readonly files?: Readonly<Record<string, string>>;
  /** `memorySearch` of its configuration; no provider by default. */
  readonly memorySearch?: Readonly<Record<string, unknown>>;
  /** Other sections of its configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A host that shares its memories on a server. */
export function hostOn(url: string, origin: string, options: HostOptions = {}): TestHost {
  const { workspace = 'ws', files = {}, config = {} } = options;
  const memorySearch = { provider: 'none', ...options.memorySearch };
  const settings = {
    storage: { url: 'env:SVC_DATABASE_URL', origin, poolSize: 4, connectTimeoutSeconds: 2 },
    agents: { defaults: { workspace, memorySearch } },
    ...config,
  };
  const home = folderOf({ 'ws/MEMORY.md': '', 'svc.json': JSON.stringify(settings), ...files });
  const env = { SVC_DATABASE_URL: url };
  const svcOptions = { home: home.path, env };
  return {
    origin,
    home,
    svc: (...args) => runInSession(args, svcOptions),
    start: (...args) => startSvc(args, svcOptions),
  };
}
