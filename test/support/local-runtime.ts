import { join } from 'node:path';
import { currentPlatform } from '../../src/cli/context.js';
import { installRuntime } from '../../src/engine/providers/local/runtime/install.js';
import { ROOT } from './run-svc.js';

/**
 * The real runtime of local models, in a folder of runtimes. Installed by svc itself when a test
 * first needs it (80 MB from the npm registry, about 8 s), and kept with what npm installed: test
 * files that want it at the same moment wait for one installation.
 */
export async function realRuntimes(): Promise<string> {
  // It tries its binary in a fork of this process, which needs no TypeScript and starts sooner so.
  process.execArgv.splice(0);
  const dir = join(ROOT, 'node_modules', '.cache', 'svc-test-runtimes');
  // test/run.ts keeps them from other processes.
  const { SVC_TEST_CA_CERTS: certificates, ...env } = process.env;
  await installRuntime({
    dir,
    platform: currentPlatform(),
    gpu: false,
    force: false,
    env: certificates === undefined ? env : { ...env, NODE_EXTRA_CA_CERTS: certificates },
    nodePath: process.execPath,
    signal: AbortSignal.timeout(180_000),
    onEvent: () => undefined,
  });
  return dir;
}
