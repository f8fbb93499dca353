import { SvcError } from '../../errors/index.js';

/** The release that svc was tested with. Raised on purpose, together with its binaries. */
export const RUNTIME_VERSION = '3.22.1';

/** The library that runs GGUF models in process. */
export const RUNTIME_PACKAGE = 'node-llama-cpp';

/** What decides which binaries fit. */
export interface Platform {
  /** As `process.platform`. */
  readonly os: string;
  /** As `process.arch`. */
  readonly arch: string;
  /** False on Linux systems with another C library, such as Alpine, which the binaries do not fit. */
  readonly glibc: boolean;
}

/** Binary packages by `os-arch`, below `@node-llama-cpp/` (the optional dependencies of 3.22.1). */
const BINARIES: Readonly<
  Record<string, { readonly cpu: readonly string[]; readonly gpu: readonly string[] }>
> = {
  // Apple's processors have one package; it uses the GPU, which is part of them.
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

/** A platform as one word, `linux-x64`. */
export function platformName({ os, arch }: Platform): string {
  return `${os}-${arch}`;
}

/**
 * The packages to install, each with its exact version: the library and the binaries that fit this
 * platform. All are named, because the library compiles llama.cpp when it finds no binary.
 *
 * @throws SvcError PROVIDER_INSTALL_FAILED where there are none
 */
export function runtimePackages(
  platform: Platform,
  gpu: boolean,
): Readonly<Record<string, string>> {
  const name = platformName(platform);
  const binaries = Object.hasOwn(BINARIES, name) ? BINARIES[name] : undefined;
  if (binaries === undefined || (platform.os === 'linux' && !platform.glibc)) {
    const libc = platform.os === 'linux' && !platform.glibc ? ' without glibc' : '';
    throw unsupported(
      `there are no binaries of ${RUNTIME_PACKAGE} for ${name}${libc}`,
      'use another provider: svc provider list shows them; ollama and lmstudio run models on this machine too',
    );
  }
  if (gpu && binaries.gpu.length === 0) {
    throw unsupported(
      `there are no GPU binaries of ${RUNTIME_PACKAGE} for ${name}`,
      'leave out --gpu',
    );
  }
  const names = gpu ? binaries.gpu : binaries.cpu;
  return Object.fromEntries(
    [RUNTIME_PACKAGE, ...names.map((binary) => `@node-llama-cpp/${binary}`)].map((each) => [
      each,
      RUNTIME_VERSION,
    ]),
  );
}

function unsupported(message: string, hint: string): SvcError {
  return new SvcError('PROVIDER_INSTALL_FAILED', message, {
    hint,
    details: { reason: 'platform' },
  });
}
