import type { FakeRelease } from './commands.mjs';

/** By the version that a test names. */
export const RELEASES: Readonly<Record<string, FakeRelease>>;
