import {
  type Installation,
  type InstallOptions,
  installPackages,
  removePackages,
} from '../../../install/install-packages.js';
import {
  type InstalledRuntime,
  type Platform,
  platformName,
  RUNTIME_NAME,
  RUNTIME_PACKAGE,
  RUNTIME_VERSION,
  runtimePackages,
  runtimeState,
} from './store.js';

export interface RuntimeInstallOptions extends InstallOptions {
  readonly platform: Platform;
  readonly gpu: boolean;
}

const SUBJECT: Installation<InstalledRuntime>['subject'] = {
  name: RUNTIME_NAME,
  package: RUNTIME_PACKAGE,
  version: RUNTIME_VERSION,
  code: 'PROVIDER_INSTALL_FAILED',
  space: '200 MB (800 MB with --gpu)',
  elsewhere: 'use another provider (see "svc provider list")',
};

/**
 * Loads the library's native part. A binary that does not fit the CPU crashes this process, not
 * svc. In a file, since the library cannot test its binary from `node -e`.
 */
const CHECK = `
const { getLlama } = await import('${RUNTIME_PACKAGE}');
const llama = await getLlama({
  gpu: process.argv[2] === 'gpu' ? 'auto' : false,
  build: 'never',
  skipDownload: true,
  progressLogs: false,
  logLevel: 'error',
});
const { gpu } = llama;
await llama.dispose();
process.stdout.write(JSON.stringify({ gpu }) + '\\n', () => process.exit(0));
`;

/**
 * Installs the runtime of local models with npm.
 *
 * @throws SvcError PROVIDER_INSTALL_FAILED; the signal's reason. An existing runtime is unaffected
 */
export async function installRuntime(options: RuntimeInstallOptions) {
  const { platform, gpu } = options;
  /** What it computes with after an installation; null for the CPU only. */
  let computesWith: string | null | undefined;
  const { outcome, installed } = await installPackages(
    {
      subject: SUBJECT,
      dependencies: () => runtimePackages(platform, gpu),
      facts: { gpu, platform: platformName(platform) },
      findInstalled: () => {
        const present = usableRuntime(options);
        const isEnough = present?.version === RUNTIME_VERSION && (present.gpu || !gpu);
        return isEnough ? present : undefined;
      },
      check: { module: CHECK, argument: gpu ? 'gpu' : 'cpu' },
      isExpected: (stdout) => {
        const found = /^\{"gpu":(?:false|"(\w+)")\}$/mu.exec(stdout);
        computesWith = found?.[1] ?? null;
        return found !== null;
      },
      brokenHint: gpu
        ? 'run it again without --gpu, or use another provider (see "svc provider list")'
        : 'use another provider (see "svc provider list"); ollama and lmstudio also run models on this machine',
    },
    options,
  );
  return { outcome, runtime: installed, ...(computesWith === undefined ? {} : { computesWith }) };
}

/**
 * Removes the runtime; models are kept.
 *
 * @returns the removed runtime, if there was one
 * @throws SvcError PROVIDER_INSTALL_FAILED; the signal's reason
 */
export async function removeRuntime(
  options: Pick<RuntimeInstallOptions, 'dir' | 'platform' | 'signal'>,
): Promise<InstalledRuntime | undefined> {
  return removePackages({ subject: SUBJECT, findInstalled: () => usableRuntime(options) }, options);
}

function usableRuntime({
  dir,
  platform,
}: Pick<RuntimeInstallOptions, 'dir' | 'platform'>): InstalledRuntime | undefined {
  const state = runtimeState(dir, platform);
  return state.state === 'ready' ? state.runtime : undefined;
}
