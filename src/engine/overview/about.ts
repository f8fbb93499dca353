import { createRequire } from 'node:module';
import { type Discovery, discoverConfig } from '../config/index.js';
import { type Platform, runtimeState, runtimesDir } from '../embeddings/index.js';
import { messageOf } from '../errors/index.js';
import { loadVectorExtension } from '../memory/index/index.js';
import { openDatabaseBytes } from '../sqlite/database.js';
import type { EngineContext } from '../support/context.js';
import { programVersion, versionOf } from './package-version.js';

/** A native module, and whether it works on this machine. */
export interface NativeModule {
  readonly name: 'better-sqlite3' | 'node-llama-cpp' | 'sqlite-vec';
  /** `not_installed`: only the provider `local` needs it. */
  readonly state: 'not_installed' | 'ok' | 'unusable';
  /** Null where it is unknown. */
  readonly version: string | null;
  /** Why it cannot be used; null where it can. */
  readonly why: string | null;
}

/** The program and the machine that it runs on, for bug reports. */
export interface About {
  readonly version: string;
  readonly node: string;
  /** Null where SQLite cannot be loaded. */
  readonly sqlite: string | null;
  readonly platform: {
    readonly os: string;
    readonly arch: string;
    /** Of the operating system. */
    readonly release: string;
    /** Whether the C library is glibc; native modules are built for one or the other. */
    readonly glibc: boolean;
  };
  readonly paths: {
    /** All paths are absolute. */
    readonly program: string;
    readonly node: string;
    /** Null where there is none and the defaults are in effect. */
    readonly config: string | null;
    readonly configOrigin: NonNullable<Discovery['origin']> | null;
    readonly state: string;
    readonly cache: string;
  };
  readonly modules: readonly NativeModule[];
}

export interface ProcessFacts {
  /** Absolute path of the package. */
  readonly root: string;
  readonly nodeVersion: string;
  readonly nodePath: string;
  readonly platform: Platform;
  readonly release: string;
}

/**
 * Versions, paths, and whether native modules load. Broken parts are reported, not thrown.
 */
export function aboutProgram(
  context: EngineContext,
  facts: ProcessFacts,
  configFile: string | undefined,
): About {
  const { file, origin } = discoverConfig(context, configFile);
  const { stateDir, cacheDir } = context.state;
  const { os, arch, glibc } = facts.platform;
  const { sqlite, modules } = databaseParts();
  return {
    version: programVersion(facts.root),
    node: facts.nodeVersion,
    sqlite,
    platform: { os, arch, release: facts.release, glibc },
    paths: {
      program: facts.root,
      node: facts.nodePath,
      config: file ?? null,
      configOrigin: origin ?? null,
      state: stateDir,
      cache: cacheDir,
    },
    modules: [...modules, localRuntime(stateDir, facts.platform)],
  };
}

function databaseParts(): {
  readonly sqlite: string | null;
  readonly modules: readonly NativeModule[];
} {
  const version = versionOf(packageFile('better-sqlite3'));
  try {
    const database = openDatabaseBytes(Buffer.alloc(0));
    try {
      const row = database.prepare<[], string>('SELECT sqlite_version()').pluck().get();
      const extension = loadVectorExtension(database, { enabled: true, extensionPath: undefined });
      return {
        sqlite: row ?? null,
        modules: [
          { name: 'better-sqlite3', state: 'ok', version, why: null },
          extension.loaded
            ? { name: 'sqlite-vec', state: 'ok', version: extension.version, why: null }
            : { name: 'sqlite-vec', state: 'unusable', version: null, why: extension.why },
        ],
      };
    } finally {
      database.close();
    }
  } catch (error) {
    const why = messageOf(error);
    return {
      sqlite: null,
      modules: [
        { name: 'better-sqlite3', state: 'unusable', version, why },
        { name: 'sqlite-vec', state: 'unusable', version: null, why: 'SQLite cannot be loaded' },
      ],
    };
  }
}

function localRuntime(stateDir: string, platform: Platform): NativeModule {
  const found = runtimeState(runtimesDir(stateDir), platform);
  return found.state === 'ready'
    ? { name: 'node-llama-cpp', state: 'ok', version: found.runtime.version, why: null }
    : { name: 'node-llama-cpp', state: 'not_installed', version: null, why: found.why };
}

const requireHere = createRequire(import.meta.url);

function packageFile(name: string): string | undefined {
  try {
    return requireHere.resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}
