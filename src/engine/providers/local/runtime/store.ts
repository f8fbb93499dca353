import { join } from 'node:path';
import { SvcError } from '../../../errors/index.js';
import { readInstalled } from '../../../install/installed-packages.js';

/** The default model (spec/memory-search §2.1). */
export const DEFAULT_MODEL =
  'hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf';

/** The tested release. Update together with its binaries. */
export const RUNTIME_VERSION = '3.22.1';

export const RUNTIME_PACKAGE = 'node-llama-cpp';

/** The name of its folders in {@link runtimesDir}. */
export const RUNTIME_NAME = 'local';

export interface Platform {
  readonly os: string;
  readonly arch: string;
  /** False on Linux with another C library, such as Alpine; the binaries need glibc. */
  readonly glibc: boolean;
}

/** Binary packages by `os-arch`, in `@node-llama-cpp/` (the optional dependencies of 3.22.1). */
const BINARIES: Readonly<
  Record<string, { readonly cpu: readonly string[]; readonly gpu: readonly string[] }>
> = {
  // The only package for Apple silicon uses the GPU.
  'darwin-arm64': { cpu: ['mac-arm64-metal'], gpu: ['mac-arm64-metal'] },
  'darwin-x64': { cpu: ['mac-x64'], gpu: [] },
  'linux-arm': { cpu: ['linux-armv7l'], gpu: [] },
  'linux-arm64': { cpu: ['linux-arm64'], gpu: [] },
  'linux-riscv64': { cpu: ['linux-riscv64'], gpu: [] },
  'linux-x64': {
    cpu: ['linux-x64'],
    gpu: ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext', 'linux-x64-vulkan'],
  },
  'win32-arm64': { cpu: ['win-arm64'], gpu: [] },
  'win32-x64': {
    cpu: ['win-x64'],
    gpu: ['win-x64', 'win-x64-cuda', 'win-x64-cuda-ext', 'win-x64-vulkan'],
  },
};

/** For example, `linux-x64`. */
export function platformName({ os, arch }: Pick<Platform, 'arch' | 'os'>): string {
  return `${os}-${arch}`;
}

/**
 * The packages to install, with exact versions: the library and the binaries for this platform.
 * Without a binary, the library would compile llama.cpp.
 *
 * @throws SvcError PROVIDER_INSTALL_FAILED if there are none
 */
export function runtimePackages(
  platform: Platform,
  gpu: boolean,
): Readonly<Record<string, string>> {
  const name = platformName(platform);
  const binaries = Object.hasOwn(BINARIES, name) ? BINARIES[name] : undefined;
  const libc = platform.os === 'linux' && !platform.glibc ? ' without glibc' : '';
  if (binaries === undefined || libc !== '') {
    throw unsupported(
      `${RUNTIME_PACKAGE} has no binaries for ${name}${libc}`,
      'use another provider (see "svc provider list"); ollama and lmstudio also run models on this machine',
    );
  }
  if (gpu && binaries.gpu.length === 0) {
    throw unsupported(
      `${RUNTIME_PACKAGE} has no GPU binaries for ${name}`,
      'run it again without --gpu',
    );
  }
  const names = gpu ? binaries.gpu : binaries.cpu;
  const packages = [RUNTIME_PACKAGE, ...names.map((binary) => `@node-llama-cpp/${binary}`)];
  return Object.fromEntries(packages.map((each) => [each, RUNTIME_VERSION]));
}

function unsupported(message: string, hint: string): SvcError {
  return new SvcError('PROVIDER_INSTALL_FAILED', message, {
    hint,
    details: { reason: 'platform' },
  });
}

/** A runtime that was installed and tested. */
export interface InstalledRuntime {
  /** Absolute path; contains its `node_modules`. */
  readonly folder: string;
  readonly version: string;
  /** A home folder may be shared between machines. */
  readonly platform: string;
  /** Whether it includes the GPU variants. */
  readonly gpu: boolean;
  readonly bytes: number;
}

/** Whether there is a usable runtime. */
export type RuntimeState =
  | { readonly state: 'ready'; readonly runtime: InstalledRuntime }
  | { readonly state: 'missing'; readonly why: string };

/** The folder of runtimes in the state folder. */
export function runtimesDir(stateDir: string): string {
  return join(stateDir, 'runtimes');
}

/** The runtime in use; reads one small file. @param dir see {@link runtimesDir} */
export function runtimeState(
  dir: string,
  platform: Pick<Platform, 'arch' | 'os'> = { os: process.platform, arch: process.arch },
): RuntimeState {
  const runtime = installedRuntime(dir);
  if (runtime === undefined) return missing(`${RUNTIME_PACKAGE} is not installed`);
  const here = platformName(platform);
  if (runtime.platform !== here) {
    return missing(
      `${RUNTIME_PACKAGE} is installed for ${runtime.platform}, but this machine is ${here}`,
    );
  }
  if (majorOf(runtime.version) !== majorOf(RUNTIME_VERSION)) {
    return missing(
      `${RUNTIME_PACKAGE} ${runtime.version} is installed, but svc needs ${RUNTIME_VERSION}`,
    );
  }
  return { state: 'ready', runtime };
}

function missing(why: string): RuntimeState {
  return { state: 'missing', why };
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

/** Undefined if missing, damaged or written by something else. */
function installedRuntime(dir: string): InstalledRuntime | undefined {
  const installed = readInstalled(dir, RUNTIME_NAME);
  if (installed === undefined) return undefined;
  const { facts, ...runtime } = installed;
  const { platform, gpu } = facts;
  if (typeof platform !== 'string' || typeof gpu !== 'boolean') return undefined;
  return { ...runtime, platform, gpu };
}
