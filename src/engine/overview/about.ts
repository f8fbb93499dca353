import { createRequire } from 'node:module';
import { discoverConfig } from '../config/index.js';
import { messageOf } from '../errors/index.js';
import { loadVectorExtension } from '../memory/index/index.js';
import { type Platform, runtimeState, runtimesDir } from '../providers/local/runtime/store.js';
import { sqliteDriver, sqliteVersion, withEmptyDatabase } from '../sqlite/database.js';
import type { EngineContext } from '../support/context.js';
import { readJsonFile } from '../support/json-file.js';
import type { VersionOutput } from './output-schemas.js';

/** A native module, and whether it works on this machine. */
export type NativeModule = VersionOutput['modules'][number];

/** What is known of this process and the machine. */
export interface ProcessFacts {
  /** Absolute path of the package. */
  readonly root: string;
  readonly nodeVersion: string;
  readonly nodePath: string;
  readonly platform: Platform;
  readonly release: string;
}

/** Versions, paths, and whether native modules load. Broken parts are reported, not thrown. */
export function aboutProgram(
  context: EngineContext,
  facts: ProcessFacts,
  configFile: string | undefined,
): VersionOutput {
  const { file, origin } = discoverConfig(context, configFile);
  const { stateDir, cacheDir } = context.state;
  const { os, arch, glibc } = facts.platform;
  const { modules, ...sqlite } = databaseParts();
  return {
    version: programVersion(facts.root),
    node: facts.nodeVersion,
    ...sqlite,
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

function databaseParts(): Pick<VersionOutput, 'modules' | 'sqlite' | 'sqliteDriver'> {
  const version = versionOf(packageFile('better-sqlite3'));
  try {
    return withEmptyDatabase((database) => {
      const extension = loadVectorExtension(database, { enabled: true, extensionPath: undefined });
      const { name, why } = sqliteDriver();
      return {
        sqlite: sqliteVersion(database),
        sqliteDriver: name,
        modules: [
          { name: 'better-sqlite3', state: why === null ? 'ok' : 'unusable', version, why },
          extension.loaded
            ? { name: 'sqlite-vec', state: 'ok', version: extension.version, why: null }
            : { name: 'sqlite-vec', state: 'unusable', version: null, why: extension.why },
        ],
      };
    });
  } catch (error) {
    const why = messageOf(error);
    return {
      sqlite: null,
      sqliteDriver: null,
      modules: [
        { name: 'better-sqlite3', state: 'unusable', version, why },
        { name: 'sqlite-vec', state: 'unusable', version: null, why: 'SQLite cannot be loaded' },
      ],
    };
  }
}

function localRuntime(stateDir: string, platform: Platform): NativeModule {
  const local = runtimeState(runtimesDir(stateDir), platform);
  return local.state === 'ready'
    ? { name: 'node-llama-cpp', state: 'ok', version: local.runtime.version, why: null }
    : { name: 'node-llama-cpp', state: 'not_installed', version: null, why: local.why };
}

const requireHere = createRequire(import.meta.url);

function packageFile(name: string): string | undefined {
  try {
    return requireHere.resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

/** The version of this program. @param root absolute path of its package */
export function programVersion(root: string): string {
  return versionOf(`${root}/package.json`) ?? 'unknown';
}

/** The version that a package.json names; null where there is none to read. */
function versionOf(file: string | undefined): string | null {
  const version: unknown = Reflect.get(Object(file && readJsonFile(file)), 'version');
  return typeof version === 'string' ? version : null;
}
