import type { Platform } from '../engine/embeddings/local-runtime/runtime-package.js';

/** The machine that this process runs on. */
export function currentPlatform(): Platform {
  const { platform: os, arch } = process;
  return { os, arch, glibc: os === 'linux' && hasGlibc() };
}

/** Node's report names the C library's version when it is glibc. */
function hasGlibc(): boolean {
  const { report } = process;
  if (report === undefined) return true;
  // Looking up the names of network addresses would take seconds.
  const before = Reflect.get(report, 'excludeNetwork');
  Reflect.set(report, 'excludeNetwork', true);
  const text: unknown = report.getReport();
  Reflect.set(report, 'excludeNetwork', before);
  const header: unknown = Reflect.get(Object(text), 'header');
  return Reflect.get(Object(header), 'glibcVersionRuntime') !== undefined;
}
